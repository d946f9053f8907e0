;; Copyright of the sample belongs to nobody.

(ns shop.orders
  "Orders: how they are placed, priced and shipped."
  (:require [clojure.set :as set]
            [clojure.string :as str :refer [join blank?]]
            [shop.catalog :as catalog]
            [shop.db :refer :all]
            shop.metrics)
  (:import (java.time Duration Instant)
           java.util.UUID))

(def ^:dynamic *now*
  "The clock; bound to another one in tests."
  #(Instant/now))

(def max-lines 100)

(defonce ^:private queue (atom clojure.lang.PersistentQueue/EMPTY))

;; How an order moves on.
(def transitions
  {:new #{:paid :cancelled}
   :paid #{:shipped :refunded}
   :shipped #{:returned}})

(defprotocol Carrier
  "Brings parcels to people."
  (quote-price [this parcel] "What it costs, in cents.")
  (pick-up [this parcel]
    "Fetches a parcel; gives its tracking number."))

(defrecord Order [id lines state placed-at])

(defrecord Courier [name rate]
  Carrier
  (quote-price [_ parcel]
    (* rate (:weight parcel)))
  (pick-up [this parcel]
    (let [number (str (UUID/randomUUID))]
      (log-event :picked-up {:by name :parcel parcel})
      number)))

(extend-protocol Carrier
  nil
  (quote-price [_ _] 0)
  (pick-up [_ parcel]
    (throw (ex-info "no carrier" {:parcel parcel}))))

(defn- line-total [{:keys [sku quantity]}]
  (* quantity (catalog/price sku)))

(defn total
  "The price of an order, in cents.

  A discount is a function from price to price."
  ([order] (total order identity))
  ([order discount]
   (->> (:lines order)
        (map line-total)
        (reduce + 0)
        discount)))

(defn valid?
  "Whether an order can be placed."
  [order]
  (and (seq (:lines order))
       (<= (count (:lines order)) max-lines)
       (every? (comp pos? :quantity) (:lines order))
       (not-any? blank? (map :sku (:lines order)))))

(defn place!
  "Puts an order into the queue and gives it back with an id."
  {:added "1.2"}
  [order]
  (when-not (valid? order)
    (throw (ex-info "invalid order" {:order order})))
  (let [placed (map->Order (assoc order
                                  :id (UUID/randomUUID)
                                  :state :new
                                  :placed-at (*now*)))]
    (swap! queue conj placed)
    (shop.metrics/count! :orders)
    placed))

(defn advance
  [order state]
  (if (contains? (transitions (:state order)) state)
    (assoc order :state state)
    (throw (IllegalStateException. (str (:state order) " -> " state)))))

(defmulti ship
  "Ships an order, each kind in its own way."
  (fn [order _] (:kind order)))

(defmethod ship :parcel
  [order carrier]
  (let [parcel {:weight (reduce + (map catalog/weight (:lines order)))}]
    (assoc order :tracking (pick-up carrier parcel))))

(defmethod ship :download [order _]
  (send-link! (:email order))
  (advance order :shipped))

(defmacro with-order
  "Runs the body with an order of the database, and saves what it gives."
  [[name id] & body]
  `(let [~name (fetch-order ~id)]
     (save-order! (do ~@body))))

(defn drain!
  "Ships everything that waits. Stops at the first failure."
  [carrier]
  (letfn [(step [shipped]
            (if-let [order (peek @queue)]
              (do (ship order carrier)
                  (swap! queue pop)
                  (recur (inc shipped)))
              shipped))]
    (step 0)))

(defn late
  "Orders that were placed too long ago."
  [orders ^Duration limit]
  (let [oldest (.minus (*now*) limit)
        old? (fn [order] (.isBefore (:placed-at order) oldest))]
    (->> orders (filter old?) (sort-by :placed-at) vec)))

(defn summary [orders]
  (let [states (frequencies (map :state orders))]
    (-> states
        (set/rename-keys {:new :waiting})
        sort
        (as-> pairs (join ", " (map #(str/join " " %) pairs))))))

(comment
  (place! {:lines [{:sku "tea" :quantity 2}]})
  (drain! (->Courier "bike" 5)))
