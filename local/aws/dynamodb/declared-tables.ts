import type { ResolvedAssembly } from '../../template/cloud-assembly.ts';
import type { JsonObject } from '../../template/json.ts';
import { type TypedResource, typedResources } from '../../template/resource-properties.ts';

/** A table as declared. */
export interface LocalTable {
  readonly name: string;
  readonly arn: string;
  /** The attribute whose passed epoch seconds mean that an item is gone. */
  readonly ttlAttribute: string | undefined;
  readonly keyAttributes: readonly string[];
  /** Input of `CreateTable`. */
  readonly definition: JsonObject;
}

/** Reads every table, by name. */
export function readTables(assembly: ResolvedAssembly): Map<string, LocalTable> {
  return new Map(typedResources(assembly, 'AWS::DynamoDB::Table').map((table) => [table.name, readTable(table)]));
}

function readTable({ name, arn = '', properties, typed }: TypedResource<'AWS::DynamoDB::Table'>): LocalTable {
  const { TimeToLiveSpecification: ttl, KeySchema } = typed;
  const { AttributeDefinitions = [], GlobalSecondaryIndexes } = properties;
  return {
    name,
    arn,
    ttlAttribute: ttl?.Enabled === true ? ttl.AttributeName : undefined,
    keyAttributes: KeySchema.map(({ AttributeName }) => AttributeName),
    definition: {
      TableName: name,
      AttributeDefinitions,
      KeySchema,
      BillingMode: 'PAY_PER_REQUEST',
      ...(GlobalSecondaryIndexes === undefined ? {} : { GlobalSecondaryIndexes }),
    },
  };
}
