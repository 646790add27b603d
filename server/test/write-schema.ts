/** `npm run schema`: writes server/schema.sql anew from the migrations. */
import { writeFile } from 'node:fs/promises'
import { cloneDatabase } from './support/database.ts'
import { describeSchema, SCHEMA_FILE } from './support/schema.ts'

await writeFile(SCHEMA_FILE, await describeSchema(await cloneDatabase()))
