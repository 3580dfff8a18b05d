package io.despina.buffer;

import io.despina.wake.Waker;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Memory beyond the budget, for packets larger than their channel's reserved minimum when the floating memory is used up. It
 * keeps the resource going then, and is bounded itself.
 *
 * <p>Every place that can hold a packet has a rank, and a packet moves only to higher ranks. One packet of each rank at a time
 * may be beyond the budget. Its holder waits only for higher ranks, so the highest always becomes free, then the one below it,
 * and so on: no cycle can wait for itself.
 *
 * <p>A writer learns the size of its packet while it writes, and cannot wait in the middle. So a packet that finds the budget
 * used up is let through. From then on, until nothing is beyond the budget, a port is written to only while its thread has the
 * rank's turn. More than one packet of a rank is beyond the budget only if several threads were writing when that began: one for
 * each of them.
 */
public final class Overdraft {
    private final SegmentPool pool;
    private final Map<Integer, Rank> ranks = new ConcurrentHashMap<>();
    /** Any thread reads and writes: segments beyond the budget. */
    private final AtomicInteger out = new AtomicInteger();

    Overdraft(SegmentPool pool) {
        this.pool = pool;
    }

    /** @param number greater than those of all places that a packet can have come from */
    public Rank rank(int number) {
        return ranks.computeIfAbsent(number, k -> new Rank());
    }

    /** Segments that are beyond the budget now. */
    public int segments() {
        return out.get();
    }

    /** The packets of one rank. */
    public final class Rank {
        /** The owner of the turn, changed by compare-and-set: nobody (null), a {@link Thread}, or a {@link Loan}. */
        private final AtomicReference<Object> turn = new AtomicReference<>();
        private final Queue<Borrower> waiting = new ConcurrentLinkedQueue<>();

        private Rank() {
        }

        /** For one port, or for another writer of packets of this rank. */
        public Borrower borrower() {
            return new Borrower(this);
        }

        /** A segment for a packet whose size is known before it comes, or null if another packet has the rank's turn. */
        public Segment tryTake(int bytes) {
            Loan loan = new Loan(this);
            if (!turn.compareAndSet(null, loan)) {
                return null;
            }
            loan.hasTurn = true;
            return lend(loan, bytes);
        }

        private void pass() {
            turn.set(null);
            wake();
        }

        private void wake() {
            for (Borrower next = waiting.poll(); next != null; next = waiting.poll()) {
                next.queued.set(false);
                next.task.wake();
            }
        }
    }

    /** One port's share in a rank. Only its task's thread calls it, and ends each run with {@link #leave}. */
    public final class Borrower {
        private final Rank rank;
        private final AtomicBoolean queued = new AtomicBoolean();
        /** Written (volatile) by whoever connects the task, read by whoever wakes it. */
        private volatile Waker task = () -> { };
        private boolean entered;

        private Borrower(Rank rank) {
            this.rank = rank;
        }

        /** @param waker of the port's task: woken when {@link #mayWrite} may answer true again */
        public void setWaker(Waker waker) {
            task = waker;
        }

        /** Whether nothing is beyond the budget: then every port may be written to. */
        public boolean isFree() {
            return out.get() == 0;
        }

        /** Whether a packet may be begun now; if not, the task is woken when it should ask again. */
        public boolean mayWrite() {
            if (isFree() || take()) {
                return true;
            }
            if (queued.compareAndSet(false, true)) {
                rank.waiting.add(this);
            }
            // a borrower that left before this one was queued did not wake it
            return isFree() || take();
        }

        private boolean take() {
            Object now = rank.turn.get();
            if (now == null && rank.turn.compareAndSet(null, Thread.currentThread())) {
                entered = true;
                return true;
            }
            return now == Thread.currentThread();
        }

        /** The run is over, or the port is closed: a turn that was not used goes to others. */
        public void leave() {
            if (entered) {
                entered = false;
                if (rank.turn.get() == Thread.currentThread()) {
                    rank.pass();
                }
            }
        }

        /**
         * A segment beyond the budget.
         *
         * @param grown the one that it replaces and that is about to be released; or null
         */
        public Segment take(int bytes, Segment grown) {
            Loan loan = new Loan(rank);
            if (grown != null && grown.home() instanceof Loan old && old.hasTurn && rank.turn.compareAndSet(old, loan)) {
                old.hasTurn = false;
                loan.hasTurn = true;
            } else {
                loan.hasTurn = rank.turn.compareAndSet(Thread.currentThread(), loan) || rank.turn.compareAndSet(null, loan);
            }
            return lend(loan, bytes);
        }
    }

    /** Of one segment beyond the budget. */
    private final class Loan implements Segment.Home {
        private final Rank rank;
        /** Written by the segment's owner. */
        private boolean hasTurn;

        private Loan(Rank rank) {
            this.rank = rank;
        }

        @Override
        public boolean isBeyondBudget() {
            return true;
        }

        @Override
        public void takeBack(Segment segment) {
            pool.takeLoanBack(segment);
            boolean last = out.decrementAndGet() == 0;
            if (hasTurn) {
                rank.pass();
            }
            if (last) {
                ranks.values().forEach(Rank::wake);
            }
        }
    }

    private Segment lend(Loan loan, int bytes) {
        out.incrementAndGet();
        return pool.lend(loan, bytes);
    }
}
