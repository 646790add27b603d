import Type from 'typebox'
import { Fields } from '../core/fields.ts'
import { operation } from '../core/operation.ts'
import { MetadataObject } from './describe-object.ts'
import { metadataObjects } from './objects.ts'

export const listMetadataObjects = operation({
  rest: 'GET /v1/metadata/objects',
  tag: 'Metadata',
  summary: 'List the public objects and their fields',
  description:
    'Changes when fields are added. Send the `ETag` back in `If-None-Match`: 304 means that nothing changed.',
  input: Fields({}),
  output: Type.Array(MetadataObject),
  etag: true,
  run: async () => metadataObjects,
})
