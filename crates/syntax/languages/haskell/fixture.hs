{-# LANGUAGE GADTs, TypeFamilies, PatternSynonyms #-}
-- | The module's own words are nobody's.
module Shapes.Fixture (module Shapes.Fixture, Shape (..)) where

import Data.List (sortOn)
import qualified Data.Map as Map

-- | How many.
limit :: Int
-- <- constant limit
limit = 3

version = "1.0"
-- <- constant version

origin :: (Double, Double)
-- <- constant origin
origin = (0, 0)

width, height :: Double
width = 1.5
-- <- constant width
height = 2.5
-- <- constant height

(left, right) = span even [1 .. limit]

area :: Shape a -> Double
-- <- function area
area (Circle r _) = pi * square r
area (Box w h)
  | w > limit' = 0
  | otherwise = w * h
  where
    limit' = 100
area None = 0

square x = x * x
-- <- function square

main :: IO ()
-- <- function main
main = do
  let twice f = f . f
--    ^^^^^ function main.twice
      seen = 4
  print (twice (+ 1) seen)

sumAll :: forall a. Num a => [a] -> a
-- <- function sumAll
{-# INLINE sumAll #-}
sumAll = go 0
  where
    go :: a -> [a] -> a
--  ^^ function sumAll.go
    go acc [] = acc
    go acc (x : xs) = go (acc + x) xs
    step :: a -> a
--  ^^^^ function sumAll.step
    step = (+ 1)

infixl 6 <+>
plus, (<+>) :: Int -> Int -> Int
a <+> b = a + b
--^^^ function <+>
plus = (<+>)
-- <- function plus

x `divides` y = y `mod` x == 0
-- ^^^^^^^ function divides

(f `on` g) a b = f (g a) (g b)
--  ^^ function on

data Shape a
--   ^^^^^ enum Shape
  = Circle Double !a
--  ^^^^^^ method Shape.Circle
  | Box { boxWidth :: Double, boxHeight :: Double }
--  ^^^ method Shape.Box
--        ^^^^^^^^ field Shape.Box.boxWidth
--                            ^^^^^^^^^ field Shape.Box.boxHeight
  | a :+: a
--    ^^^ method Shape.:+:
  | None
--  ^^^^ constant Shape.None
  deriving (Eq, Show)

data Settings = Settings
--   ^^^^^^^^ struct Settings
  { name :: String
--  ^^^^ field Settings.name
  }

data Void
--   ^^^^ type Void
newtype Wrap a = Wrap { unwrap :: Maybe a }
--      ^^^^ struct Wrap
--                      ^^^^^^ field Wrap.unwrap
newtype Age = MkAge Int
--      ^^^ struct Age
--            ^^^^^ method Age.MkAge
data Point = Point Int Int deriving Eq
--   ^^^^^ struct Point
type Name = String
--   ^^^^ type Name
type family Element c where
--          ^^^^^^^ type Element
  Element [a] = a

data Term a where
--   ^^^^ enum Term
  Number :: Int -> Term Int
--^^^^^^ method Term.Number
  Truth :: Term Bool
--^^^^^ constant Term.Truth

class (Eq a, Show a) => Pretty a where
--                      ^^^^^^ trait Pretty
  type Style a
--     ^^^^^ type Pretty.Style
  pretty :: a -> String
--^^^^^^ method Pretty.pretty
  pretty = show
  prettyList :: [a] -> String
--^^^^^^^^^^ method Pretty.prettyList
  prettyList xs = concatMap pretty xs
  open, close :: String
--^^^^ method Pretty.open
--      ^^^^^ method Pretty.close

class Empty a
--    ^^^^^ trait Empty

instance Pretty Age where
  pretty (MkAge 0) = "new"
--^^^^^^ method <Age as Pretty>.pretty
  pretty (MkAge n) = show n
instance Pretty a => Pretty (Maybe a) where
  pretty :: Maybe a -> String
--^^^^^^ method <Maybe as Pretty>.pretty
  pretty = maybe "" pretty
instance MonadState s (StateT s m) where get = StateT (\s -> pure (s, s))
--                                       ^^^ method <StateT as MonadState>.get
instance Empty [a]

pattern Zero :: Age
--      ^^^^ function Zero
pattern Zero = MkAge 0
pattern Pair x y = (x, y)
--      ^^^^ function Pair
foreign import ccall "math.h sin" sine :: Double -> Double
--                                ^^^^ function sine
