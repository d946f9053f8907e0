<?php

declare(strict_types=1);

namespace App\Mail\Queue;

use App\Mail\{Envelope, Message as MailMessage};
use App\Mail\Transport\TransportInterface;
use DateTimeImmutable;
use Psr\Log\LoggerInterface;
use Psr\Log\NullLogger;
use RuntimeException;

use function App\Support\retry;
use const App\Support\DEFAULT_DELAY;

require_once __DIR__ . '/bootstrap.php';

/** How many messages one run sends. */
const BATCH_SIZE = 50;

/**
 * Sends the messages that wait in a queue.
 *
 * A message that cannot be sent goes back, until it was tried too often.
 */
final class QueueWorker extends Worker implements Stoppable, \Countable
{
    use LogsProgress;
    use Locks, Counts;

    public const MAX_ATTEMPTS = 5;

    private ?DateTimeImmutable $startedAt = null;

    protected bool $stopped = false;

    /** @var array<string, MailMessage> */
    private array $failed = [];

    public function __construct(
        private readonly TransportInterface $transport,
        private readonly QueueStore $store,
        ?LoggerInterface $logger = null,
        protected int $delay = DEFAULT_DELAY,
    ) {
        parent::__construct($delay);
        $this->logger = $logger ?? new NullLogger();
        $this->lock = Lock::acquire('mail');
    }

    /** Makes a worker that sends nothing. */
    public static function dry(QueueStore $store): static
    {
        return new static(new NullTransport(), $store);
    }

    /**
     * Sends what waits.
     *
     * @return int how many were sent
     * @throws RuntimeException when the store is closed
     */
    #[Override]
    public function run(int $limit = BATCH_SIZE): int
    {
        $this->startedAt = new DateTimeImmutable();
        $sent = 0;
        foreach ($this->store->pending($limit) as $id => $message) {
            if ($this->stopped) {
                break;
            }
            try {
                $this->send($message);
                $sent++;
            } catch (TransportException | TimeoutException $e) {
                $this->giveBack($id, $message, $e);
            } finally {
                $this->tick();
            }
        }
        static::report($sent);

        return $sent;
    }

    private function send(MailMessage $message): void
    {
        $envelope = Envelope::for($message)->withSender($this->store->sender());
        retry(3, fn () => $this->transport->send($envelope));
        $this->logger?->info("sent {$message->subject()}", ['to' => $envelope->to]);
    }

    private function giveBack(string $id, MailMessage $message, \Throwable $why): void
    {
        $again = clone $message;
        $again->attempts++;
        if ($again->attempts >= self::MAX_ATTEMPTS || $why instanceof PermanentFailure) {
            $this->failed[$id] = $again;
            $this->store->bury($id, Reason::fromException($why));
            return;
        }
        $later = function (MailMessage $message) use ($id): bool {
            return $this->store->push($id, $message);
        };
        $later($again);
    }

    public function stop(): self
    {
        $this->stopped = true;

        return $this;
    }

    public function count(): int
    {
        return count($this->failed);
    }

    public function handler()
    {
        return new Handler($this, static fn (MailMessage $m): string => $m->subject());
    }
}

/** Where messages wait. */
interface QueueStore extends \IteratorAggregate
{
    /** @return iterable<string, MailMessage> */
    public function pending(int $limit): iterable;

    public function bury(string $id, Reason $why): void;
}

trait LogsProgress
{
    protected LoggerInterface $logger;

    protected function tick(): void
    {
        $this->logger->debug(sprintf('%s: tick', static::class));
    }
}

enum Reason: string
{
    case Rejected = 'rejected';
    // It took too long.
    case Timeout = 'timeout';

    const DEFAULT = self::Rejected;

    public static function fromException(\Throwable $e): self
    {
        return match (true) {
            $e instanceof TimeoutException => self::Timeout,
            default => self::DEFAULT,
        };
    }
}

abstract class Worker
{
    public function __construct(protected int $delay) {}

    abstract public function run(int $limit): int;

    protected static function report(int $sent): void
    {
        \App\Support\metrics()->gauge('mail.sent', $sent);
    }
}

function work(string ...$arguments): int
{
    $worker = QueueWorker::dry(new MemoryStore());
    $handler = $worker->handler();
    $handler->handle($arguments);

    return $worker->run(...array_map('intval', $arguments));
}
