/** Sending the order. */

export interface Order {
  articles: string[];
  totalCents: number;
}

/** Tries again when the network fails, but never sends an order twice: the key names it. */
export async function submitOrder(order: Order, key: string, attempts = 3): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetch("/orders", {
        method: "POST",
        headers: { "Idempotency-Key": key },
        body: JSON.stringify(order),
      });
    } catch (error) {
      if (attempt === attempts) throw error;
    }
  }
}
