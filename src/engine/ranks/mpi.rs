//! Messages over MPI. One thread makes all calls of MPI, since its objects belong to a thread.
//!
//! A blocking receive of Open MPI keeps a processor busy. The thread therefore polls for messages and sleeps in between;
//! it wakes at once for a message to be sent.

use super::link::{Event, Link, SendMessage};
use mpi::Threading;
use mpi::environment::Universe;
use mpi::point_to_point::{Message, Status};
use mpi::request::{LocalScope, Request};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, MatchedReceiveVec, Source};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time between two polls for messages during searches and shortly after.
const BUSY_INTERVAL: Duration = Duration::from_millis(3);
/// Time between two polls for messages by an idle rank: a poll takes a few microseconds.
const IDLE_INTERVAL: Duration = Duration::from_millis(20);
/// Time without a message after which a rank is idle.
const IDLE_AFTER: Duration = Duration::from_secs(3);
/// Time between two polls of a message that is being sent: a large one waits for a poll by the receiver.
const SENDING_INTERVAL: Duration = Duration::from_millis(1);

/// A message to be sent: the receiving rank, and the content.
type Outgoing = (usize, Vec<u8>);

/// Joins the job of `mpirun`; the connection ends when the link is dropped. `None` if MPI cannot be started, which prints its
/// reason.
#[must_use]
pub fn connect() -> Option<Link> {
    let (outgoing, to_send) = channel();
    let (introduce, introduced) = channel();
    let thread = std::thread::spawn(move || {
        let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else { return };
        let world = universe.world();
        let _ = introduce.send((world.rank() as usize, world.size() as usize));
        Carrier { _universe: universe, world, last: Instant::now() }.run(&to_send);
    });
    let (rank, ranks): (usize, usize) = introduced.recv().ok()?;
    Some(Link::new(rank, ranks, |arrived| connection(outgoing, arrived, thread)))
}

/// An order to the thread of MPI.
enum Order {
    Send(Outgoing),
    /// The receiver of what arrives.
    Deliver(Sender<Event>),
}

/// Returns the sending half of the link; its drop ends the thread.
fn connection(orders: Sender<Order>, arrived: Sender<Event>, thread: JoinHandle<()>) -> SendMessage {
    /// Ends the thread of MPI, which first sends what is left.
    struct Connection {
        orders: Option<Sender<Order>>,
        thread: Option<JoinHandle<()>>,
    }
    impl Drop for Connection {
        fn drop(&mut self) {
            self.orders = None;
            self.thread.take().into_iter().for_each(|thread| drop(thread.join()));
        }
    }
    let connection = Connection { orders: Some(orders), thread: Some(thread) };
    let order = move |order| drop(connection.orders.as_ref().map(|orders| orders.send(order)));
    order(Order::Deliver(arrived));
    Box::new(move |to, bytes| order(Order::Send((to, bytes))))
}

/// The state of the thread.
struct Carrier {
    /// Ends MPI when dropped.
    _universe: Universe,
    world: SimpleCommunicator,
    /// Time of the last message.
    last: Instant,
}

impl Carrier {
    /// Carries messages until the link is dropped.
    fn run(mut self, orders: &Receiver<Order>) {
        let mut arrived = None;
        loop {
            let interval = if self.last.elapsed() < IDLE_AFTER { BUSY_INTERVAL } else { IDLE_INTERVAL };
            match orders.recv_timeout(interval) {
                Ok(Order::Deliver(to)) => arrived = Some(to),
                Ok(Order::Send(first)) => self.send(first, arrived.as_ref()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.receive(arrived.as_ref());
        }
    }

    /// Sends a message, and receives meanwhile: both sides may be sending.
    fn send(&mut self, (to, bytes): Outgoing, arrived: Option<&Sender<Event>>) {
        self.last = Instant::now();
        mpi::request::scope(|scope: &LocalScope<'_>| {
            let process = self.world.process_at_rank(to as i32);
            let mut request: Request<'_, [u8], _> = process.immediate_send(scope, &bytes[..]);
            while let Err(unfinished) = request.test() {
                request = unfinished;
                receive(&self.world, arrived);
                std::thread::sleep(SENDING_INTERVAL);
            }
        });
    }

    /// Receives all messages that have arrived.
    fn receive(&mut self, arrived: Option<&Sender<Event>>) {
        if receive(&self.world, arrived) {
            self.last = Instant::now();
        }
    }
}

/// Delivers all messages that have arrived; returns true if there were any.
fn receive(world: &SimpleCommunicator, arrived: Option<&Sender<Event>>) -> bool {
    let Some(arrived) = arrived else { return false };
    let mut has_any = false;
    while let Some(found) = world.any_process().immediate_matched_probe() {
        let from = found.1.source_rank() as usize;
        let (bytes, _): (Vec<u8>, Status) =
            <(Message, Status) as MatchedReceiveVec>::matched_receive_vec(found);
        // A rank that ends reads nothing any more.
        let _ = arrived.send(Event::Message(from, bytes));
        has_any = true;
    }
    has_any
}
