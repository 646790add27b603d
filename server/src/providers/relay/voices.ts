/** Our voices, as ConversationRelay and `<Say>` know them: Amazon's neural ones are open to every account. */
const VOICES: Record<string, { voice: string; language: string }> = {
  voice_amelia: { voice: 'Joanna-Neural', language: 'en-US' },
  voice_grace: { voice: 'Kendra-Neural', language: 'en-US' },
  voice_naomi: { voice: 'Ruth-Neural', language: 'en-US' },
  voice_daniel: { voice: 'Matthew-Neural', language: 'en-US' },
  voice_marcus: { voice: 'Stephen-Neural', language: 'en-US' },
  voice_walter: { voice: 'Joey-Neural', language: 'en-US' },
  voice_loretta: { voice: 'Salli-Neural', language: 'en-US' },
  voice_harriet: { voice: 'Amy-Neural', language: 'en-GB' },
  voice_oliver: { voice: 'Arthur-Neural', language: 'en-GB' },
  voice_matilda: { voice: 'Olivia-Neural', language: 'en-AU' },
  voice_lucia: { voice: 'Lupe-Neural', language: 'es-US' },
  voice_mateo: { voice: 'Pedro-Neural', language: 'es-US' },
}

export const voiceOf = (voiceId: string) => VOICES[voiceId] ?? VOICES.voice_amelia!
