{-# LANGUAGE LambdaCase #-}
{-# LANGUAGE OverloadedStrings #-}

{- |
Module      : Queue.Worker
Description : A pool of workers that take jobs from a bounded queue.

Jobs are run in the order of their priority. A job that fails is tried again
until its budget is used up.
-}
module Queue.Worker
  ( -- * Jobs
    Job (..)
  , Outcome (..)
  , Priority
  , newJob
    -- * The pool
  , Pool
  , withPool
  , submit
  , module Queue.Types
  ) where

import Control.Concurrent (forkIO, killThread, threadDelay)
import Control.Concurrent.STM
import Control.Exception (SomeException, try)
import Control.Monad (forM_, forever, unless, when)
import qualified Data.Map.Strict as Map
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import qualified Data.Text as T
import Data.Time.Clock qualified
import Prelude hiding (log)
import Queue.Types

-- | How urgent a job is; lower runs first.
type Priority = Int

-- | One piece of work.
data Job = Job
  { jobName :: !Text
    -- ^ Shown in the log.
  , jobPriority :: Priority
  , jobBudget :: Int
  , jobRun :: IO ()
  }

-- | How a job ended.
data Outcome
  = Done
  | Failed Text -- ^ with the reason
  | Retried Int Text
  deriving (Eq, Show)

-- | A running pool. Make one with 'withPool'.
newtype Pool = Pool {poolState :: TVar State}

data State = State
  { stateQueue :: Map.Map Priority [Job]
  , stateClosed :: Bool
  }

-- | Where a pool writes what happens.
class Monad m => Logger m where
  -- | Write one line.
  logLine :: Level -> Text -> m ()
  logLine _ = logPlain

  logPlain :: Text -> m ()
  {-# MINIMAL logPlain #-}

instance Logger IO where
  logPlain = putStrLn . T.unpack

instance Semigroup Outcome where
  Done <> other = other
  failed@(Failed _) <> _ = failed
  Retried n why <> other
    | n > maxRetries = Failed why
    | otherwise = other

-- | After this many tries a job is given up.
maxRetries :: Int
maxRetries = 5

defaultPriority = 10

-- | A job with the usual priority and budget.
newJob :: Text -> IO () -> Job
newJob name run =
  Job {jobName = name, jobPriority = defaultPriority, jobBudget = maxRetries, jobRun = run}

-- | Run an action with a pool of @n@ workers, and stop them afterwards.
withPool :: Int -> (Pool -> IO a) -> IO a
withPool n use = do
  state <- newTVarIO emptyState
  let pool = Pool state
  threads <- mapM (const $ forkIO (worker pool)) [1 .. n]
  result <- use pool
  close pool
  forM_ threads killThread
  return result

emptyState :: State
emptyState = State {stateQueue = Map.empty, stateClosed = False}

-- | Put a job into the queue; 'False' when the pool is closed.
submit :: Pool -> Job -> IO Bool
submit (Pool var) job = atomically $ do
  state <- readTVar var
  if stateClosed state
    then pure False
    else do
      writeTVar var state {stateQueue = enqueue job (stateQueue state)}
      pure True

enqueue :: Job -> Map.Map Priority [Job] -> Map.Map Priority [Job]
enqueue job = Map.insertWith (flip (++)) (jobPriority job) [job]

-- | Take jobs for ever.
worker :: Pool -> IO ()
worker pool = forever $ next pool >>= runJob >>= report
  where
    report :: Outcome -> IO ()
    report = \case
      Done -> pure ()
      Failed why -> logLine Warning why
      Retried n why -> do
        backOff
        logLine Debug (T.pack (show n) <> ": " <> why)

    backOff = threadDelay (100 * milliseconds)
    milliseconds = 1000

next :: Pool -> IO Job
next (Pool var) = atomically $ do
  State queue closed <- readTVar var
  when closed retry
  case Map.minViewWithKey queue of
    Nothing -> retry
    Just ((_, []), rest) -> writeTVar var (State rest closed) >> retry
    Just ((priority, job : jobs), rest) -> do
      let rest' = if null jobs then rest else Map.insert priority jobs rest
      writeTVar var (State rest' closed)
      return job

runJob :: Job -> IO Outcome
runJob job = go (jobBudget job)
  where
    go 0 = return $ Failed ("gave up on " `T.append` jobName job)
    go budget = do
      started <- Data.Time.Clock.getCurrentTime
      result <- try (jobRun job)
      either (retryWith started budget) (const $ pure Done) result

    retryWith :: Data.Time.Clock.UTCTime -> Int -> SomeException -> IO Outcome
    retryWith _ budget problem
      | budget > 1 = go (budget - 1)
      | otherwise = pure . Failed . T.pack $ show problem

close :: Pool -> IO ()
close Pool {poolState = var} = atomically $ modifyTVar' var (\s -> s {stateClosed = True})

infixr 5 |>

-- | Run the second job after the first.
(|>) :: Job -> Job -> Job
first |> second = first {jobRun = jobRun first *> jobRun second}

chain :: [Job] -> Maybe Job
chain [] = Nothing
chain jobs = Just (foldr1 (|>) jobs)
