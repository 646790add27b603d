import { CaseList, CreateCaseList } from '../case-lists/schema.ts'
import { Case, CreateCase } from '../cases/schema.ts'
import { Client, CreateClient } from '../clients/schema.ts'
import { describeObject, type MetadataObject } from './describe-object.ts'

/** Read from the schemas that validate requests: a new field is here the moment it is taken. */
export const metadataObjects: MetadataObject[] = [
  describeObject('cases', Case, CreateCase),
  describeObject('clients', Client, CreateClient),
  describeObject('case_lists', CaseList, CreateCaseList),
]
