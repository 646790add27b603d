export * from './status-tools.ts'
export * from './type-tools.ts'
