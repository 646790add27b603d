/** `mm:ss`, with more digits for the minutes of a very long call. */
export function minutes(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`
}
