;; What the file says of itself is nobody's.
(ns shapes.fixture
  "So is this."
  (:require [clojure.string :as str]))

(def limit 3)
;    ^^^^^ constant limit
(def ^:private table {:one 1})
;              ^^^^^ constant table
(defonce state (atom {}))
;        ^^^^^ constant state
(declare later)
(def twice (fn [x] (* 2 x)))
;    ^^^^^ function twice

(defn area
;     ^^^^ function area
  "How large it is."
  {:added "1.0"}
  [shape & {:keys [scale]}]
  (let [inner (fn [x] x)]
    (* scale (inner (:size shape)))))
(defn- hidden ([x] (hidden x 1)) ([x y] (+ x y)))
;      ^^^^^^ function hidden
(defn ^String typed [^long n])
;             ^^^^^ function typed
(s/defn checked :- s/Int [x :- s/Int] x)
;       ^^^^^^^ function checked
(defmacro unless "Not if." [test & body] `(if ~test nil (do ~@body)))
;         ^^^^^^ macro unless

(defmulti render "Draws it." :kind)
;         ^^^^^^ function render
(defmethod render :circle [shape] (area shape))
;                 ^^^^^^^ method render.:circle
(defmethod render :default [_] nil)
;                 ^^^^^^^^ method render.:default

(defprotocol Shape
;            ^^^^^ interface Shape
  "What has a size."
  (size [this] "How large.")
;  ^^^^ method Shape.size
  (scale [this factor]))
;  ^^^^^ method Shape.scale

(defrecord Circle [radius ^double centre]
;          ^^^^^^ struct Circle
;                  ^^^^^^ field Circle.radius
;                                 ^^^^^^ field Circle.centre
  Shape
  (size [this] (* 2 radius))
;  ^^^^ method Circle.size
  (scale [this factor] (->Circle (* radius factor) centre)))
;  ^^^^^ method Circle.scale
(deftype Empty [])
;        ^^^^^ struct Empty
(extend-type String Shape (size [text] (count text)))
;                          ^^^^ method String.size

(defn make []
;     ^^^^ function make
  (letfn [(helper [x] x)]
;          ^^^^^^ function make.helper
    (reify Shape (size [_] (helper 1)))))
;                 ^^^^ method make.size
(deftest area-test (is (= 1 (area {}))))
;        ^^^^^^^^^ function area-test

#?(:clj (defn on-jvm [] 1)
;             ^^^^^^ function on-jvm
   :cljs (defn in-browser [] 2))
;              ^^^^^^^^^^ function in-browser
(let [secret 1] (defn closed [] secret))
;                     ^^^^^^ function closed
#_(defn gone [] 1)
