import * as z from 'zod';

/** Values that a schema accepts, with a text of the test's own in every place that takes text. */
export interface Filling {
  /** The text of a place, such as `now.parked[0].detail`. */
  readonly textAt: (place: string) => string;
  /** Which of several choices is taken, in each place that has them: beyond the last it begins again. */
  readonly round: number;
}

/** Makes one value. An array has an element for each choice that its element has. */
export function valueOf(schema: z.ZodType, place: string, filling: Filling): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodReadonly) return valueOf(inner(schema), place, filling);
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).map(([name, field]) => [
      name,
      valueOf(field as z.ZodType, `${place}.${name}`, filling),
    ]);
    return Object.fromEntries(fields);
  }
  if (schema instanceof z.ZodArray) {
    const element = schema.element as z.ZodType;
    return Array.from({ length: choicesOf(element) }, (_, index) =>
      valueOf(element, `${place}[${index}]`, { ...filling, round: index }),
    );
  }
  if (schema instanceof z.ZodTuple) {
    const items = schema.def.items as readonly z.ZodType[];
    return items.map((item, index) => valueOf(item, `${place}[${index}]`, filling));
  }
  if (schema instanceof z.ZodRecord) {
    const key = filling.textAt(`${place}.key`);
    return { [key]: valueOf(schema.valueType as z.ZodType, `${place}.value`, filling) };
  }
  if (schema instanceof z.ZodUnion) return valueOf(chosen(optionsOf(schema), filling), place, filling);
  return leafOf(schema, place, filling);
}

function leafOf(schema: z.ZodType, place: string, filling: Filling): unknown {
  if (schema instanceof z.ZodEnum) return chosen(schema.options, filling);
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodNumber) return 7;
  if (schema instanceof z.ZodBoolean) return filling.round % 2 === 0;
  if (schema instanceof z.ZodString || schema instanceof z.ZodUnknown) return filling.textAt(place);
  throw new Error(`${place} is ${schema.def.type}: say here what stands for it`);
}

/** How many rounds show each choice of a schema once. */
export function choicesOf(schema: z.ZodType): number {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodReadonly) return choicesOf(inner(schema));
  if (schema instanceof z.ZodObject) return most(Object.values(schema.shape) as z.ZodType[]);
  if (schema instanceof z.ZodTuple) return most(schema.def.items as readonly z.ZodType[]);
  if (schema instanceof z.ZodUnion) return Math.max(optionsOf(schema).length, most(optionsOf(schema)));
  return schema instanceof z.ZodEnum ? schema.options.length : 1;
}

const most = (schemas: readonly z.ZodType[]) => Math.max(1, ...schemas.map(choicesOf));

const inner = (schema: z.ZodOptional | z.ZodReadonly) => schema.unwrap() as z.ZodType;

const optionsOf = (schema: z.ZodUnion) => schema.options as readonly z.ZodType[];

function chosen<Choice>(choices: readonly Choice[], { round }: Filling): Choice {
  const choice = choices[round % choices.length];
  if (choice === undefined) throw new Error('a schema without a choice');
  return choice;
}
