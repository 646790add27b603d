import type { Stats } from './schema.ts'

/** A row of campaign_stats. */
export interface Counters {
  total_calls: number
  success_calls: number
  failed_calls: number
  sentiment_sum: number
  sentiment_count: number
  called_clients: number
  converted_clients: number
}

export function statsOf(counters: Counters): Stats {
  const { total_calls, success_calls, failed_calls, sentiment_sum, sentiment_count } = counters
  return {
    total_calls,
    success_calls,
    success_calls_percentage: percentage(success_calls, total_calls),
    failed_calls,
    average_sentiment_score: sentiment_count === 0 ? 0 : rounded(sentiment_sum / sentiment_count, 100),
    conversion_rate: percentage(counters.converted_clients, counters.called_clients),
  }
}

/** 0 to 100 with one decimal; 0 without data. */
export const percentage = (part: number, whole: number): number => (whole === 0 ? 0 : rounded((100 * part) / whole, 10))

const rounded = (value: number, steps: number): number => Math.round(value * steps) / steps
