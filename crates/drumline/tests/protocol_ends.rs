//! Sides that leave in the middle, and panic; delegation.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use common::messages::{Accounts, Calls, Message, poll};
use common::{ends, pool, quiet_panic};
use drumline::channel::CloseReason;
use drumline::protocol::{NotReceived, NotSent, PeerLeft};

drumline::protocol! {
    mod order of buyer with shop {
        Order = send Message => Offer;
        Offer = recv Message => Decision;
        Decision = choose {
            Take(Message) => Delivery,
            Haggle(Message) => Offer,
            Leave => end,
        };
        Delivery = recv Message => end;
    }
}

drumline::protocol! {
    /// The rest of an order goes to another buyer.
    mod hand_over of old with new {
        Rest = send order::buyer::Decision => Done;
        Done = recv Message => end;
    }
}

drumline::protocol! {
    /// A session in a session of the same protocol.
    mod nested of outer with inner {
        Deeper = choose {
            Down(Box<nested::inner::Deeper>) => Deeper,
            Up => end,
        };
    }
}

#[track_caller]
fn left(left: PeerLeft, role: &str, step: &str, reason: CloseReason) {
    assert_eq!((left.role(), left.step()), (role, step));
    assert_eq!(left.protocol(), "order");
    assert_eq!(left.reason(), reason);
}

/// In each state, first the buyer leaves, and then, in a new session, the shop.
#[test]
fn leaving_in_each_state_reaches_the_peer_with_the_state() {
    let accounts = Accounts::default();
    let message = |number| accounts.message(number);
    let dropped = CloseReason::Dropped;
    let open = order::unbounded;
    let ordered = || {
        let (buyer, shop) = open();
        let buyer = buyer.send(message(1)).unwrap();
        (buyer, shop.recv().unwrap().1)
    };
    let offered = || {
        let (buyer, shop) = ordered();
        let shop = shop.send(message(2)).unwrap();
        (buyer.recv().unwrap().1, shop)
    };
    let taken = || {
        let (buyer, shop) = offered();
        let buyer = buyer.choose(order::choice::Decision::Take(message(3)));
        match shop.offer().unwrap() {
            order::offer::Decision::Take(_, shop) => (buyer.unwrap(), shop),
            other => panic!("{other:?} was not chosen"),
        }
    };

    let (buyer, shop) = open();
    drop(buyer);
    assert!(shop.has_peer_left());
    left(shop.recv().unwrap_err(), "buyer", "Order", dropped);
    let (buyer, shop) = open();
    drop(shop);
    let error = buyer.send(message(1)).unwrap_err();
    left(error.left(), "shop", "Order", dropped);
    assert_eq!(error.into_inner().number, 1);

    let (buyer, shop) = ordered();
    drop(buyer);
    let error = shop.send(message(2)).unwrap_err();
    left(error.left(), "buyer", "Offer", dropped);
    assert_eq!(error.into_inner().number, 2);
    let (buyer, shop) = ordered();
    assert!(!buyer.has_peer_left());
    drop(shop);
    left(buyer.recv().unwrap_err(), "shop", "Offer", dropped);

    let (buyer, shop) = offered();
    drop(buyer);
    left(shop.offer().unwrap_err(), "buyer", "Decision", dropped);
    let (buyer, shop) = offered();
    drop(shop);
    let error = buyer
        .choose(order::choice::Decision::Take(message(3)))
        .unwrap_err();
    left(error.left(), "shop", "Decision", dropped);
    assert_eq!(error.into_inner().0.number, 3);

    let (buyer, shop) = taken();
    drop(buyer);
    let error = shop.send(message(4)).unwrap_err();
    left(error.left(), "buyer", "Delivery", dropped);
    drop(error);
    let (buyer, shop) = taken();
    drop(shop);
    left(buyer.recv().unwrap_err(), "shop", "Delivery", dropped);
    accounts.settle();
}

#[test]
fn the_step_is_that_of_the_peer_which_may_be_behind() {
    let accounts = Accounts::default();
    let (buyer, shop) = order::unbounded();
    let buyer = buyer.send(accounts.message(1)).unwrap();
    // The shop has not received the order.
    drop(shop);
    let error = buyer.recv().unwrap_err();
    left(error, "shop", "Order", CloseReason::Dropped);
    assert_eq!(
        error.to_string(),
        "the shop left the protocol `order` in the step `Order`: its endpoint was dropped"
    );
    accounts.settle();
}

#[test]
fn what_was_sent_before_leaving_comes_first() {
    let accounts = Accounts::default();
    let (buyer, shop) = order::unbounded();
    let buyer = buyer.send(accounts.message(1)).unwrap();
    drop(buyer);
    let (order, shop) = shop.recv().unwrap();
    assert_eq!(order.number, 1);
    let Err(NotSent::Ever(error)) = shop.try_send(order) else {
        panic!("the buyer has left");
    };
    left(error.left(), "buyer", "Offer", CloseReason::Dropped);
    drop(error);
    accounts.settle();
}

#[test]
fn after_the_last_step_nothing_is_said() {
    let accounts = Accounts::default();
    let (buyer, shop) = order::unbounded();
    let buyer = buyer.send(accounts.message(1)).unwrap();
    let shop = shop.recv().unwrap().1.send(accounts.message(2)).unwrap();
    let (_, buyer) = buyer.recv().unwrap();
    let order::buyer::End { .. } = buyer.choose(order::choice::Decision::Leave).unwrap();
    // The buyer is gone, and the last message is there.
    assert!(!shop.has_peer_left());
    assert!(matches!(shop.offer(), Ok(order::offer::Decision::Leave(_))));
    accounts.settle();
}

#[test]
fn a_panic_reaches_the_peer() {
    let accounts = Accounts::default();
    for waits in [false, true] {
        let (buyer, shop) = order::unbounded();
        let accounts = accounts.clone();
        let of_shop = accounts.clone();
        ends(move || {
            let shop = thread::spawn(move || {
                let (_order, _shop) = shop.recv().unwrap();
                quiet_panic("no such thing");
            });
            let buyer = buyer.send(of_shop.message(1)).unwrap();
            while waits && !shop.is_finished() {
                thread::yield_now();
            }
            let error = buyer.recv().unwrap_err();
            left(error, "shop", "Offer", CloseReason::Panicked);
            assert!(error.to_string().ends_with("`Offer`: its thread panicked"));
            // The shop drops its message after it has left.
            assert!(shop.join().is_err());
        });
        accounts.settle();
    }
    // So does the panic of a task. The task drops its future.
    let (buyer, shop) = order::unbounded();
    let accounts = accounts.clone();
    ends(move || {
        let pool = pool(2);
        let task = pool.spawn_future(async move {
            let _shop = shop.recv_async().await.unwrap();
            quiet_panic("no such thing");
        });
        let buyer = buyer.send(accounts.message(1)).unwrap();
        let error = drumline::block_on(buyer.recv_async()).unwrap_err();
        left(error, "shop", "Offer", CloseReason::Panicked);
        assert!(task.join().is_err());
    });
}

#[test]
fn sides_that_wait_hear_of_it() {
    ends(|| {
        let (buyer, shop) = order::bounded(1);
        let waiting = thread::spawn(|| shop.recv().map(drop).unwrap_err());
        drop(buyer);
        left(
            waiting.join().unwrap(),
            "buyer",
            "Order",
            CloseReason::Dropped,
        );

        let (buyer, shop) = order::unbounded();
        let task = drumline::spawn_future(async { shop.recv_async().await.map(drop) });
        drop(buyer);
        let error = task.join().unwrap().unwrap_err();
        left(error, "buyer", "Order", CloseReason::Dropped);
    });
}

#[test]
fn futures_that_are_dropped_leave_the_session() {
    let accounts = Accounts::default();
    let (buyer, shop) = order::bounded(1);
    let calls = Calls::new();
    let mut receiving = shop.recv_async();
    assert!(poll(&mut receiving, &Arc::clone(&calls).into()).is_pending());
    drop(receiving);
    assert_eq!(Arc::strong_count(&calls), 1, "the waker is kept");
    let mut sending = buyer.send_async(accounts.message(1));
    let polled = poll(&mut sending, &Arc::clone(&calls).into());
    let std::task::Poll::Ready(Err(error)) = polled else {
        panic!("the shop has left");
    };
    left(error.left(), "shop", "Order", CloseReason::Dropped);
    drop((sending, error));
    accounts.settle();
    assert_eq!(calls.count(), 0);
}

#[test]
fn a_message_of_a_choice_that_was_not_sent_comes_back() {
    let accounts = Accounts::default();
    let (buyer, shop) = order::unbounded();
    let buyer = buyer.send(accounts.message(1)).unwrap();
    let shop = shop.recv().unwrap().1.send(accounts.message(2)).unwrap();
    let (_, buyer) = buyer.recv().unwrap();
    drop(shop);
    let take = order::choice::Decision::Haggle(accounts.message(3));
    let Err(NotSent::Ever(error)) = buyer.try_choose(take) else {
        panic!("the shop has left");
    };
    assert_eq!(error.into_inner().0.number, 3);
    accounts.settle();
}

#[test]
fn the_rest_of_a_session_goes_to_another_thread() {
    let accounts = Accounts::default();
    for early in [false, true] {
        let accounts = accounts.clone();
        ends(move || {
            let (old, new) = hand_over::unbounded();
            let (buyer, shop) = order::unbounded();
            let of_shop = accounts.clone();
            let shop = thread::spawn(move || {
                let shop = shop.recv().unwrap().1;
                let shop = shop.send(of_shop.message(2)).unwrap();
                match shop.offer().unwrap() {
                    order::offer::Decision::Take(_, delivery) => {
                        delivery.send(of_shop.message(4)).map(drop).unwrap();
                    }
                    other => panic!("{other:?} was not chosen"),
                }
            });
            let of_new = accounts.clone();
            let new = thread::spawn(move || {
                let (decision, done) = new.recv().unwrap();
                let take = order::choice::Decision::Take(of_new.message(3));
                let (goods, _end) = decision.choose(take).unwrap().recv().unwrap();
                done.send(goods).map(drop).unwrap();
            });
            let buyer = buyer.send(accounts.message(1)).unwrap();
            let (_, decision) = buyer.recv().unwrap();
            if early {
                thread::yield_now();
            }
            let (goods, _end) = old.send(decision).unwrap().recv().unwrap();
            assert_eq!(goods.number, 4);
            drop(goods);
            new.join().unwrap();
            shop.join().unwrap();
            accounts.settle();
        });
    }
}

#[test]
fn an_endpoint_that_no_side_receives_leaves_its_session() {
    let (old, new) = hand_over::unbounded();
    let accounts = Accounts::default();
    let (buyer, shop) = order::unbounded();
    let buyer = buyer.send(accounts.message(1)).unwrap();
    let shop = shop.recv().unwrap().1.send(accounts.message(2)).unwrap();
    let (_, decision) = buyer.recv().unwrap();
    let _old = old.send(decision).unwrap();
    let Err(NotReceived::Yet(shop)) = shop.try_offer() else {
        panic!("the buyer is on its way");
    };
    drop(new);
    let error = shop.offer().unwrap_err();
    left(error, "buyer", "Decision", CloseReason::Dropped);
    accounts.settle();
}

#[test]
fn sessions_lie_in_sessions() {
    const DEPTH: usize = 200;
    let (mut outers, mut next) = (Vec::new(), None);
    for _ in 0..DEPTH {
        let (mut outer, inner) = nested::unbounded();
        if let Some(inner) = next.take() {
            let down = nested::choice::Deeper::Down(Box::new(inner));
            outer = outer.choose(down).unwrap();
        }
        next = Some(inner);
        outers.push(outer);
    }
    // The last one holds all others.
    drop(next);
    for outer in outers {
        let error = outer.choose(nested::choice::Deeper::Up).unwrap_err();
        assert_eq!(error.left().step(), "Deeper");
    }
}

#[test]
fn a_panic_of_a_drop_leaves_the_session_as_well() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            quiet_panic("the drop of a message");
        }
    }
    drumline::protocol! {
        mod delivery of sender with receiver {
            Parcel = send Box<dyn std::any::Any + Send> => Parcel;
        }
    }
    let (sender, receiver) = delivery::unbounded();
    let sender = sender.send(Box::new(Bomb)).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| drop(receiver))).is_err());
    let error = sender.send(Box::new(1)).map(drop).unwrap_err();
    assert_eq!(error.left().reason(), CloseReason::Dropped);
}
