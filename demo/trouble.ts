/** Something that a person can do something about: one line, no stack. */
export class Trouble extends Error {}
