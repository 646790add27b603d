/** Why the program cannot start or its database cannot be used: one line for the operator, printed without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
