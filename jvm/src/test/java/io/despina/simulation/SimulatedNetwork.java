package io.despina.simulation;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentPool;
import io.despina.link.ChannelOptions;
import io.despina.link.ChannelReceiver;
import io.despina.link.ChannelSender;
import io.despina.link.ChannelSpec;
import io.despina.link.Inbox;
import io.despina.link.InboxSender;
import io.despina.metrics.LinkCounters;
import io.despina.runtime.Network;
import io.despina.wire.Attempt;
import io.despina.wire.ChannelId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongSupplier;

/**
 * Remote channels as memory: an inbox at either end and a pipe of frames between them that delays and stalls. Backpressure
 * is TCP's: the pipe takes only so many frames, and the far end is read only while its inbox has room.
 */
final class SimulatedNetwork {
    private static final int FRAMES_IN_PIPE = 3;
    private static final long LONGEST_DELAY = 400_000;
    private static final long LONGEST_STALL = 20_000_000;
    private static final int STALL_ONE_IN = 200;

    private final LongSupplier clock;
    private final Random random;
    private final Map<ChannelId, Pipe> pipes = new LinkedHashMap<>();
    private final List<Waiting> waiting = new ArrayList<>();

    private record Waiting(Network from, Runnable done) {
    }

    SimulatedNetwork(LongSupplier clock, Random random) {
        this.clock = clock;
        this.random = random;
    }

    /** What is on its way: a copy, as a socket makes one. */
    private record Frame(Segment.Kind kind, byte[] bytes, int packets, long value, boolean exact, long origin, long arrives) {
    }

    private final class Pipe {
        private final Inbox outbound;
        private final Inbox inbound;
        private final SegmentPool pool;
        private final ChannelOptions options;
        private final ArrayDeque<Frame> frames = new ArrayDeque<>();
        private Network from;
        private long stalledUntil;
        private long lastArrival;

        Pipe(ChannelOptions options, SegmentPool pool) {
            outbound = new Inbox(options.bounds(), options.queueTargetNanos(), clock);
            inbound = new Inbox(options.bounds(), options.queueTargetNanos(), clock);
            this.pool = pool;
            this.options = options;
        }

        boolean step(long now) {
            if (now < stalledUntil) {
                return false;
            }
            if (random.nextInt(STALL_ONE_IN) == 0) {
                stalledUntil = now + random.nextLong(LONGEST_STALL);
                return false;
            }
            boolean read = read(now);
            return write(now) || read;
        }

        private boolean write(long now) {
            Segment s = frames.size() < FRAMES_IN_PIPE ? outbound.poll() : null;
            if (s == null) {
                return false;
            }
            byte[] bytes = java.util.Arrays.copyOfRange(s.bytes(), s.start, s.end);
            lastArrival = Math.max(lastArrival, now + random.nextLong(LONGEST_DELAY));
            frames.add(new Frame(s.kind, bytes, s.packets, s.value, s.exact, s.origin, lastArrival));
            outbound.consumed(s);
            return true;
        }

        private boolean read(long now) {
            Frame frame = frames.peek();
            if (frame == null || frame.arrives() > now || !inbound.hasRoom()) {
                return false;
            }
            Segment s = frame.kind() == Segment.Kind.DATA ? forData(frame)
                    : pool.signal(frame.kind(), frame.value(), frame.exact());
            if (s == null) {
                inbound.urge();
                return false;
            }
            s.origin = frame.origin();
            frames.remove();
            boolean urgent = s.isBeyondBudget();
            inbound.offer(s);
            if (urgent) {
                inbound.urge();
            }
            tell();
            return true;
        }

        /**
         * From the floating memory, or, when nothing else is queued here, from the channel's reserved minimum; or beyond the
         * budget, one packet of a rank at a time.
         */
        private Segment forData(Frame frame) {
            Segment s = pool.tryTake(frame.bytes().length);
            if (s == null && inbound.queuedBytes() == 0) {
                int size = frame.bytes().length;
                s = size <= options.receiverMinimum() ? pool.take(size) : pool.overdraft().rank(options.rank()).tryTake(size);
            }
            if (s != null) {
                System.arraycopy(frame.bytes(), 0, s.bytes(), 0, frame.bytes().length);
                s.end = frame.bytes().length;
                s.packets = frame.packets();
            }
            return s;
        }

        boolean isEmpty() {
            return frames.isEmpty() && outbound.queuedBytes() == 0;
        }

        long nextEvent() {
            return Math.max(stalledUntil, frames.isEmpty() ? 0 : frames.peek().arrives());
        }
    }

    /** The network as one resource sees it. */
    Network of(SegmentPool pool) {
        return new Network() {
            @Override
            public ChannelReceiver receiver(ChannelId id, ChannelOptions options, End end) {
                Pipe pipe = new Pipe(options, pool);
                pipes.put(id, pipe);
                return pipe.inbound;
            }

            @Override
            public ChannelSender sender(ChannelId id, ChannelSpec channel, ChannelOptions options,
                                        LinkCounters.WireCounters counters, End end) {
                pipes.get(id).from = this;
                return new InboxSender(pipes.get(id).outbound);
            }

            @Override
            public void whenSent(Attempt attempt, Runnable done) {
                waiting.add(new Waiting(this, done));
                tell();
            }

            @Override
            public void release(Attempt attempt) {
            }
        };
    }

    private void tell() {
        for (Waiting one : List.copyOf(waiting)) {
            if (pipes.values().stream().allMatch(pipe -> pipe.from != one.from() || pipe.isEmpty())) {
                waiting.remove(one);
                one.done().run();
            }
        }
    }

    /** Moves something along one pipe, picked at random. */
    boolean crank(long now) {
        if (pipes.isEmpty()) {
            return false;
        }
        int pick = random.nextInt(pipes.size());
        return pipes.values().stream().skip(pick).findFirst().orElseThrow().step(now);
    }

    /** Moves something along any pipe that can. */
    boolean crankAny(long now) {
        boolean moved = false;
        for (Pipe pipe : pipes.values()) {
            moved |= pipe.step(now);
        }
        return moved;
    }

    /** When something may move by itself, later than {@code now}; or {@link Long#MAX_VALUE}. */
    long nextEvent(long now) {
        return pipes.values().stream().mapToLong(Pipe::nextEvent).filter(at -> at > now).min().orElse(Long.MAX_VALUE);
    }
}
