import Type, { type Static } from 'typebox'

export const Voice = Type.Object({
  voice_id: Type.String({ description: 'Goes into the voice_id of an agent', examples: ['voice_amelia'] }),
  name: Type.String({ description: 'Name', examples: ['Amelia'] }),
  gender: Type.String({ description: 'How it sounds', examples: ['female'] }),
  accent: Type.String({ description: 'How it speaks', examples: ['American'] }),
})
export type Voice = Static<typeof Voice>

/** Every installation has these from the start; each voice provider maps them to its own. Ids never change. */
export const voices: Voice[] = [
  { voice_id: 'voice_amelia', name: 'Amelia', gender: 'female', accent: 'American' },
  { voice_id: 'voice_grace', name: 'Grace', gender: 'female', accent: 'American' },
  { voice_id: 'voice_naomi', name: 'Naomi', gender: 'female', accent: 'American' },
  { voice_id: 'voice_daniel', name: 'Daniel', gender: 'male', accent: 'American' },
  { voice_id: 'voice_marcus', name: 'Marcus', gender: 'male', accent: 'American' },
  { voice_id: 'voice_walter', name: 'Walter', gender: 'male', accent: 'American Southern' },
  { voice_id: 'voice_loretta', name: 'Loretta', gender: 'female', accent: 'American Southern' },
  { voice_id: 'voice_harriet', name: 'Harriet', gender: 'female', accent: 'British' },
  { voice_id: 'voice_oliver', name: 'Oliver', gender: 'male', accent: 'British' },
  { voice_id: 'voice_matilda', name: 'Matilda', gender: 'female', accent: 'Australian' },
  { voice_id: 'voice_lucia', name: 'Lucía', gender: 'female', accent: 'Latin American Spanish' },
  { voice_id: 'voice_mateo', name: 'Mateo', gender: 'male', accent: 'Latin American Spanish' },
]

export const VOICE_IDS = voices.map(({ voice_id }) => voice_id)
