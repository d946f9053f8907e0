package com.example.jobs
package scheduler

import cats.effect.{IO, Ref, Resource}
import cats.syntax.all.*
import com.example.jobs.model.{Job, JobId, Status => JobStatus}
import com.example.jobs.store.JobStore
import org.typelevel.log4cats.Logger
import scala.collection.mutable
import scala.concurrent.duration._
import java.time.{Clock, Instant}

export com.example.jobs.model.{JobId, Priority}

/** How a scheduler behaves.
  *
  * @param workers how many jobs run at once
  * @param poll    how long to wait when there is nothing to do
  */
final case class Settings(workers: Int = 4, poll: FiniteDuration = 5.seconds, retry: Retry = Retry.never) {
  require(workers > 0, "at least one worker is needed")

  def patient: Settings = copy(poll = poll * 2)
}

/** Where jobs come from. */
trait Queue[F[_]] extends Serializable {
  type Ticket

  def take: F[Option[Job]]
  def put(job: Job): F[Unit]

  // As many as there are.
  def drain(limit: Int): F[List[Job]] = takeAll(limit)
  protected def takeAll(limit: Int): F[List[Job]]
}

/** Runs jobs of a queue until it is told to stop. */
class Scheduler private (
    queue: Queue[IO],
    store: JobStore,
    val settings: Settings,
    running: Ref[IO, Map[JobId, Running]]
)(implicit clock: Clock, logger: Logger[IO])
    extends Service("scheduler")
    with Runnable
    with AutoCloseable {

  import Scheduler._

  private val started = Instant.now(clock)
  private var stopped: Boolean = false
  lazy val describe: String = {
    val since = started.toString
    s"${getClass.getSimpleName} since $since, ${settings.workers.toString} workers"
  }

  def this(queue: Queue[IO], store: JobStore) = this(queue, store, Settings(), Ref.unsafe(Map.empty))

  /** Takes one job, and runs it.
    *
    * @return whether there was one
    */
  @throws[InterruptedException]("when it is stopped")
  override def runOnce(): IO[Boolean] =
    for {
      found <- queue.take
      now = clock.instant()
      result <- found.traverse(job => attempt(job, now))
      _ <- logger.info(s"ran ${result.map(_.id)}")
    } yield result.isDefined

  private def attempt(job: Job, now: Instant): IO[Running] = {
    val run = new Running(job.id, now)
    running.update(_ + (job.id -> run)) *> job.body.attempt.flatMap {
      case Right(value) => store.finish(job.id, value)
      case Left(error: Temporary) if settings.retry.allows(job.attempts) =>
        queue.put(job.again())
      case Left(error) =>
        logger.error(error)("a job failed")
        store.fail(job.id, error.getMessage)
    }.as(run)
  }

  def statusOf(id: JobId): IO[JobStatus] = running.get.map { all =>
    all.get(id) match {
      case Some(run: Running) => run.status
      case None => JobStatus.Unknown
    }
  }

  override def close(): Unit = {
    stopped = true
    super.close()
    this.store.close()
    val listener: Listener = new Listener {
      override def onClose(at: Instant): Unit = println(at)
    }
    listeners foreach { each => each.onClose(Instant.now(clock)) }
    listener.onClose(started)
  }
}

object Scheduler {
  /** How many jobs one look at the queue takes. */
  val BatchSize: Int = 16

  private[scheduler] val names = mutable.Map.empty[JobId, String]

  def apply(queue: Queue[IO], store: JobStore, settings: Settings)(implicit logger: Logger[IO]): Resource[IO, Scheduler] =
    Resource.fromAutoCloseable(IO(new Scheduler(queue, store)))

  def systemClock = Clock.systemUTC()

  sealed abstract class Outcome extends Product
  object Outcome {
    case object Done extends Outcome
    final case class Failed(why: Throwable) extends Outcome
  }

  trait Listener { def onClose(at: Instant): Unit }

  final class Running(val id: JobId, since: Instant) {
    def status: JobStatus = if (since.isAfter(Instant.MIN)) JobStatus.Active else JobStatus.Unknown
  }
}

enum Retry:
  case Never
  case Times(count: Int, pause: FiniteDuration)

  def allows(attempts: Int): Boolean = this match
    case Never => false
    case Times(count, _) => attempts < count

object Retry:
  val never: Retry = Retry.Never
  given ordering: Ordering[Retry] with
    def compare(a: Retry, b: Retry): Int = Integer.compare(a.ordinal, b.ordinal)

extension (job: Job)
  /** The same job, one attempt later. */
  def again(): Job = job.copy(attempts = job.attempts + 1)

implicit val showOutcome: Show[Scheduler.Outcome] = Show.fromToString

type Handler[A] = Job => IO[A]
