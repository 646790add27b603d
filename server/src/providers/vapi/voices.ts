/** Our voices, as Azure knows them: Vapi offers those without an account of one's own. */
const VOICES: Record<string, string> = {
  voice_amelia: 'en-US-AvaNeural',
  voice_grace: 'en-US-JennyNeural',
  voice_naomi: 'en-US-EmmaNeural',
  voice_daniel: 'en-US-AndrewNeural',
  voice_marcus: 'en-US-BrianNeural',
  voice_walter: 'en-US-RogerNeural',
  voice_loretta: 'en-US-MichelleNeural',
  voice_harriet: 'en-GB-SoniaNeural',
  voice_oliver: 'en-GB-RyanNeural',
  voice_matilda: 'en-AU-NatashaNeural',
  voice_lucia: 'es-US-PalomaNeural',
  voice_mateo: 'es-US-AlonsoNeural',
}

export const voiceOf = (voiceId: string): string => VOICES[voiceId] ?? VOICES.voice_amelia!
