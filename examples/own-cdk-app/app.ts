/** An app of one's own with Gateway Autopilot in it, and a rule of one's own on what it tells. */
import { Rule } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { App, Stack } from 'aws-cdk-lib/core';
import { Autopilot } from 'gateway-autopilot';
import { automation } from './automation.ts';

const app = new App();
const autopilot = new Autopilot(app, 'Autopilot', { stage: 'prod', automation });

// All that needs a person goes to a topic of one's own as well.
const stack = new Stack(app, 'Ours', { description: 'What we make of it' });
const topic = new Topic(stack, 'Parked', { enforceSSL: true });
new Rule(stack, 'WorkParked', {
  eventBus: autopilot.bus,
  eventPattern: { detailType: ['WorkParked'] },
  targets: [new SnsTopic(topic)],
});
