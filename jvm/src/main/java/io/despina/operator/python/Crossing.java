package io.despina.operator.python;

import io.despina.operator.OperatorContext;
import io.despina.python.WorkerEvent;
import io.despina.wake.Waker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Answers of a function that a process has given together with those of the function before it, on their way to the operator
 * that they are of. One instance of the operator before, the sender, has the process. It puts the answers to packets here before
 * these leave by the link, so the receiver finds them when the packets come. They are told apart by how many have come before.
 *
 * <p>Both are tasks of one resource, on a thread each. What is here is in no snapshot: packets whose answers are lost are held,
 * and the function is called again for them.
 */
public final class Crossing {
    /** With so many bytes here, the sender asks for no more. */
    private static final long MOST_BYTES = 4 << 20;

    /**
     * The answer to packets that follow each other.
     *
     * @param rows   how many packets
     * @param events what the process has said of them, up to the last rows
     * @param behind the same of the function behind this one, for the rows of this answer
     */
    record Batch(int rows, Deque<WorkerEvent> events, List<Batch> behind) {
        Batch(int rows) {
            this(rows, new ArrayDeque<>(), new ArrayList<>());
        }

        long bytes() {
            return events.stream().mapToLong(WorkerEvent::size).sum() + behind.stream().mapToLong(Batch::bytes).sum();
        }
    }

    /** @param first its first packet @param batch null if nothing is here of packets from that one on */
    private record Placed(long first, Batch batch, long bytes) {
        long end() {
            return batch == null ? first : first + batch.rows();
        }
    }

    /** A step of a reload that the receiver wants of the process. */
    record Asked(String step, CompletableFuture<String> done) {
    }

    /** The sender adds, the receiver takes. */
    private final Queue<Placed> placed = new ConcurrentLinkedQueue<>();
    /** Of {@link #placed} and {@link #current}; changed by both threads. */
    private final AtomicLong bytes = new AtomicLong();
    private final CompletableFuture<Boolean> opened = new CompletableFuture<>();
    /** Guarded by this object, as {@link #ended} is. */
    private final Queue<Asked> asked = new ArrayDeque<>();
    private boolean ended;
    /** Written by one side, woken by the other. */
    private volatile Waker sender = () -> { };
    /** Of the operator before, whether or not the process is its own; written by it, woken by the receiver. */
    private volatile Waker giver = () -> { };
    private volatile OperatorContext receiver;
    /** The receiver takes nothing from here; written by it. */
    private volatile boolean isOff;
    /** Changed by both threads. */
    private final AtomicInteger late = new AtomicInteger();
    /** The sender's: so many packets have left. */
    private long left;
    /** The receiver's: what is here of the packet that it asks its process for next, or of packets before that. */
    private Placed current;

    /** Of the sender: it has a process, or is about to. @param waker of its task */
    synchronized void send(Waker waker) {
        sender = waker;
        ended = false;
    }

    /** Of the operator whose packets leave by the link: it waits where this {@link #isFull}. @param waker of its task */
    void give(Waker waker) {
        giver = waker;
    }

    /** Of the sender: whether its process can call the receiver's function. Only what is said first counts. */
    void opened(boolean can) {
        opened.complete(can);
    }

    /** Of the sender: a packet leaves. */
    void leave() {
        left++;
    }

    /** Of the sender: the answers to packets that leave next. */
    void put(List<Batch> batches) {
        long first = left;
        for (Batch each : isOff ? List.<Batch>of() : batches) {
            long size = each.bytes();
            bytes.addAndGet(size);
            placed.add(new Placed(first, each, size));
            first += each.rows();
        }
    }

    /** Of the sender: packets that have not left are not those for which answers were put here. */
    void cut() {
        if (isOff) {
            return;
        }
        placed.add(new Placed(left, null, 0));
        OperatorContext woken = receiver;
        if (woken != null) {
            woken.wake();
        }
    }

    /** Of the sender: nothing is wanted of the receiver's function. */
    boolean isOff() {
        return isOff;
    }

    boolean isFull() {
        return !isOff && bytes.get() > MOST_BYTES;
    }

    long bytes() {
        return bytes.get();
    }

    /** Of the sender: its process was ended, since the receiver's function has taken too long. */
    void late() {
        late.incrementAndGet();
        OperatorContext woken = receiver;
        if (woken != null) {
            woken.wake();
        }
    }

    /** Of the receiver: how often that was since it asked last. */
    int wasLate() {
        return late.get() == 0 ? 0 : late.getAndSet(0);
    }

    /** Of the sender: a line that the receiver's function has printed; on any thread. */
    void tell(String line) {
        OperatorContext told = receiver;
        if (told != null) {
            told.tell(line);
        }
    }

    /** Of the sender: what its process is to do for the receiver; null for nothing. */
    synchronized Asked asked() {
        return asked.poll();
    }

    /** Of the sender: it has a process no more. */
    void end() {
        opened.complete(false);
        List<Asked> unheard;
        synchronized (this) {
            ended = true;
            unheard = List.copyOf(asked);
            asked.clear();
        }
        unheard.forEach(each -> each.done().complete(FunctionReload.ENDED));
    }

    /**
     * Of the receiver: waits until the sender has a process that can call its function.
     *
     * @return false if none can, or none is there in time
     */
    boolean receive(OperatorContext context, long millis) throws InterruptedException {
        receiver = context;
        try {
            isOff = !context.takesAll() || !opened.get(millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            isOff = true;
        } catch (ExecutionException never) {
            throw new IllegalStateException(never);
        }
        return !isOff;
    }

    /** Of the receiver: a step of a reload, which the sender's process takes. */
    CompletableFuture<String> ask(String step) {
        Asked next = new Asked(step, new CompletableFuture<>());
        synchronized (this) {
            if (ended) {
                next.done().complete(FunctionReload.ENDED);
            } else {
                asked.add(next);
            }
        }
        sender.wake();
        return next.done();
    }

    /**
     * Of the receiver: the answer to packets from that one on.
     *
     * @param packet how many have come before it; asked in order
     * @return null if it is not here, or not all of its packets come
     */
    Batch at(long packet) {
        for (Placed next = placed.peek(); next != null && next.first() <= packet; next = placed.peek()) {
            take();
            current = placed.remove();
        }
        return current == null || current.batch() == null || current.first() != packet || current.end() > next() ? null
                : current.batch();
    }

    /** Of the receiver: before which packet those end that no answer is here for. */
    long next() {
        Placed next = placed.peek();
        return next == null ? Long.MAX_VALUE : next.first();
    }

    /** Of the receiver: what {@link #at} gave is its own. */
    void take() {
        long given = current == null ? 0 : current.bytes();
        current = null;
        long before = bytes.getAndAdd(-given);
        if (before > MOST_BYTES && before - given <= MOST_BYTES) {
            giver.wake();
        }
    }
}
