//! What the macros make does not depend on the names around them.

/// Without the names of the standard library that are there by themselves.
#[no_implicit_prelude]
mod without_prelude {
    use ::drumline::channel::{mpmc, select, select_async};
    use ::std::time::{Duration, Instant};
    use ::std::{assert, assert_eq};

    ::drumline::protocol! {
        pub(super) mod adding of client with server {
            Numbers = choose { Another(u64) => Numbers, NoMore => Sum };
            Sum = recv u64 => end;
        }
    }

    pub(super) fn selects() {
        let (sender, receiver) = mpmc::bounded::<u32>(1);
        for expected in ["sent", "received", "sent", "received"] {
            let done = select! {
                recv(receiver) -> _ => "received",
                send(sender, 1) -> _ => "sent",
                default(Duration::ZERO) => "nothing",
            };
            assert_eq!(done, expected);
        }
        let none = select! { recv(receiver) -> _ => false, default => true };
        assert!(none);
        let late = select! { recv(receiver) -> _ => false, deadline(Instant::now()) => true };
        assert!(late);
    }

    pub(super) async fn selects_in_a_task() {
        let (sender, receiver) = mpmc::bounded::<u32>(1);
        let none = select_async! { recv(receiver) -> _ => false, default => true };
        assert!(none);
        let none = select_async! {
            recv(receiver) -> _ => false,
            default(Duration::ZERO) => true,
        };
        assert!(none);
        let late = select_async! { recv(receiver) -> _ => false, deadline(Instant::now()) => true };
        assert!(late);
        let sent = select_async! { send(sender, 1) -> _ => true, recv(receiver) -> _ => false };
        assert!(sent);
    }
}

/// With other things that have these names.
mod shadowed {
    use drumline::channel::{mpmc, select};

    #[derive(Debug, PartialEq)]
    pub(super) struct Some;
    pub(super) struct None;
    #[derive(Debug, PartialEq)]
    pub(super) struct Option(pub u8);
    #[derive(Debug, PartialEq)]
    pub(super) struct Up(pub u8);
    #[derive(Debug, PartialEq)]
    pub(super) struct Down(pub u8);
    #[derive(Debug, PartialEq)]
    pub(super) struct Branch(pub u8);

    drumline::protocol! {
        pub(super) mod lift of cabin with motor {
            Ride = choose { Climb(Up) => Arrival, Sink(Down) => Arrival };
            Arrival = recv Option => Stop;
            Stop = send Up => Last;
            Last = recv Down => end;
        }
    }

    drumline::protocol! {
        pub(super) mod tree of climber with monkey {
            Grow = choose { Branch(u8) => Fall, Leaf(Some) => end };
            Fall = offer { Branch(u8) => Hang, Up => end };
            Hang = send Branch => end;
        }
    }

    pub(super) fn selects() -> bool {
        let _ = (Some, None);
        let (_sender, receiver) = mpmc::bounded::<u32>(1);
        select! {
            recv(receiver) -> _ => false,
            deadline(std::time::Instant::now()) => true,
        }
    }
}

/// A type of the name of a state or a branch is found by its path.
mod hidden {
    #[derive(Debug, PartialEq)]
    pub(super) struct Order(pub u8);
    #[derive(Debug, PartialEq)]
    pub(super) struct End(pub u8);

    drumline::protocol! {
        pub(super) mod shop of client with keeper {
            Order = send crate::hidden::Order => Answer;
            Answer = offer { Order(crate::hidden::Order) => Order, End(crate::hidden::End) => end };
        }
    }
}

/// As many modules as a visibility may speak of.
mod outer {
    pub(super) mod middle {
        pub(super) mod inner {
            drumline::protocol! {
                pub(in super::super) mod far of here with there {
                    Only = choose { One(u8) => end };
                }
            }
            drumline::protocol! {
                pub(in super) mod near of here with there { Only = choose { One(u8) => end }; }
            }
            drumline::protocol! {
                pub(self) mod nowhere of here with there { Only = choose { One(u8) => end }; }
            }

            pub(in super::super) fn alone() -> bool {
                let (here, there) = nowhere::unbounded();
                here.choose(nowhere::choice::Only::One(1)).is_ok() && there.offer().is_ok()
            }
        }

        pub(super) fn near() -> bool {
            let (here, there) = inner::near::unbounded();
            here.choose(inner::near::choice::Only::One(1)).is_ok() && there.offer().is_ok()
        }
    }

    pub(super) fn all() -> bool {
        let (here, there) = middle::inner::far::unbounded();
        let far = here.choose(middle::inner::far::choice::Only::One(1));
        far.is_ok() && there.offer().is_ok() && middle::near() && middle::inner::alone()
    }
}

#[test]
fn selects_need_no_names_around_them() {
    without_prelude::selects();
    drumline::block_on(without_prelude::selects_in_a_task());
    assert!(shadowed::selects());
}

#[test]
fn protocols_need_no_names_around_them() {
    use without_prelude::adding::{choice, offer, unbounded};

    let (numbers, server) = unbounded();
    let sum = numbers.choose(choice::Numbers::NoMore).unwrap();
    let offer::Numbers::NoMore(server) = server.offer().unwrap() else {
        panic!("there is no number");
    };
    server.send(0).unwrap();
    assert_eq!(sum.recv().unwrap().0, 0);
}

#[test]
fn messages_may_have_any_names() {
    use shadowed::lift::{self, offer};
    use shadowed::{Branch, Down, Option, Up, tree};

    let (cabin, motor) = lift::unbounded();
    let cabin = cabin.choose(lift::choice::Ride::Climb(Up(1))).unwrap();
    let offer::Ride::Climb(up, motor) = motor.offer().unwrap() else {
        panic!("it climbs");
    };
    let motor = motor.send(Option(up.0)).unwrap();
    let (arrived, cabin) = cabin.recv().unwrap();
    assert_eq!(arrived, Option(1));
    let cabin = cabin.send(Up(2)).unwrap();
    let (up, motor) = motor.recv().unwrap();
    motor.send(Down(up.0)).unwrap();
    assert_eq!(cabin.recv().unwrap().0, Down(2));

    let (climber, monkey) = tree::unbounded();
    let climber = climber.choose(tree::choice::Grow::Branch(3)).unwrap();
    let tree::offer::Grow::Branch(3, monkey) = monkey.offer().unwrap() else {
        panic!("it is a branch");
    };
    let monkey = monkey.choose(tree::choice::Fall::Branch(4)).unwrap();
    let tree::offer::Fall::Branch(4, climber) = climber.offer().unwrap() else {
        panic!("it is a branch");
    };
    climber.send(Branch(5)).unwrap();
    assert_eq!(monkey.recv().unwrap().0, Branch(5));
}

#[test]
fn messages_may_have_the_names_of_steps() {
    use hidden::shop::{choice, offer, unbounded};
    use hidden::{End, Order};

    let (client, keeper) = unbounded();
    let client = client.send(Order(1)).unwrap();
    let (order, keeper) = keeper.recv().unwrap();
    let keeper = keeper.choose(choice::Answer::Order(order)).unwrap();
    let offer::Answer::Order(Order(1), client) = client.offer().unwrap() else {
        panic!("the order comes back");
    };
    let client = client.send(Order(2)).unwrap();
    let (order, keeper) = keeper.recv().unwrap();
    keeper.choose(choice::Answer::End(End(order.0))).unwrap();
    let offer::Answer::End(End(2), _) = client.offer().unwrap() else {
        panic!("it ends");
    };
}

#[test]
fn a_protocol_is_seen_where_it_says() {
    assert!(outer::all());
}
