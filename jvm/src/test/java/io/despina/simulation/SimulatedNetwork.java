package io.despina.simulation;

import static io.despina.spec.Never.NEVER;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.buffer.SegmentPool;
import io.despina.link.Attempt;
import io.despina.link.ChannelId;
import io.despina.link.ChannelOptions;
import io.despina.link.ChannelReceiver;
import io.despina.link.ChannelSender;
import io.despina.link.Inbox;
import io.despina.metrics.LinkCounters;
import io.despina.wire.FailureListener;
import io.despina.wire.IoLoop;
import io.despina.wire.Network;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Remote channels as memory: an inbox at either end and a pipe of frames between them that delays and stalls. Backpressure
 * is TCP's: the pipe takes only so many frames, and the far end is read only while its inbox has room. An end that goes before
 * the channel has ended breaks the pipe, and the other end is told a little later, as a socket would.
 */
final class SimulatedNetwork {
    private static final int FRAMES_IN_PIPE = 3;
    private static final long LONGEST_DELAY = 400_000;
    private static final long LONGEST_STALL = 20_000_000;
    private static final int STALL_ONE_IN = 200;
    /** How long a sender knocks where nobody knows its channel, as {@code Wire} does. */
    private static final long KNOCKING = 10_000_000_000L;

    private final LongSupplier clock;
    private final Random random;
    private final Map<ChannelId, Pipe> pipes = new LinkedHashMap<>();
    private final List<Waiting> waiting = new ArrayList<>();

    private final Set<Network> frozen = new HashSet<>();

    private record Waiting(Network from, Attempt attempt, Runnable done) {
    }

    SimulatedNetwork(LongSupplier clock, Random random) {
        this.clock = clock;
        this.random = random;
    }

    /** What is on its way: a copy, as a socket makes one. */
    private record Frame(SegmentKind kind, byte[] bytes, int packets, long value, boolean exact, long origin, long arrives) {
    }

    private final class Pipe {
        private final Inbox outbound;
        private final Inbox inbound;
        private final SegmentPool pool;
        private final ChannelOptions options;
        private final ArrayDeque<Frame> frames = new ArrayDeque<>();
        private final ChannelId id;
        /** Null before it connects, and when it has gone; so is {@link #to}. */
        private Network from;
        private Network to;
        private FailureListener sending;
        private FailureListener receiving;
        private boolean ended;
        /** When the end that is left is told that the other has gone. */
        private long breaksAt = NEVER;
        private String broken;
        private long stalledUntil;
        private long lastArrival;

        Pipe(ChannelId id, ChannelOptions options, SegmentPool pool) {
            this.id = id;
            outbound = new Inbox(options.bounds(), options.queueTargetNanos(), clock);
            inbound = new Inbox(options.bounds(), options.queueTargetNanos(), clock);
            this.pool = pool;
            this.options = options;
        }

        boolean step(long now) {
            if (now >= breaksAt && !frozen.contains(from == null ? to : from)) {
                tellBroken();
                return true;
            }
            if (now < stalledUntil || from == null && frames.isEmpty() || broken != null) {
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
            Segment s = from != null && !frozen.contains(from) && frames.size() < FRAMES_IN_PIPE ? outbound.poll() : null;
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
            if (frame == null || to == null || frozen.contains(to) || frame.arrives() > now || !inbound.hasRoom()) {
                return false;
            }
            Segment s = frame.kind() == SegmentKind.DATA ? forData(frame)
                    : pool.signal(frame.kind(), frame.value(), frame.exact());
            if (s == null) {
                inbound.urge();
                return false;
            }
            s.origin = frame.origin();
            frames.remove();
            boolean urgent = s.isBeyondBudget();
            ended |= frame.kind() == SegmentKind.END;
            inbound.send(s);
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

        long nextEvent(long now) {
            long moves = Math.max(stalledUntil, frames.isEmpty() ? 0 : frames.peek().arrives());
            // what is broken already is told when a frozen end thaws
            return Math.min(breaksAt > now ? breaksAt : NEVER, moves > now ? moves : NEVER);
        }

        /** Takes an end away without telling it. */
        void detach(Network network) {
            if (from == network) {
                from = null;
                outbound.close();
                breaks(to, "the sending resource closed the connection before the channel's end");
            }
            if (to == network) {
                to = null;
                frames.clear();
                breaks(from, "the receiving resource closed the connection before the channel's end");
            }
            if (from == null && to == null) {
                pipes.remove(id, this);
            }
        }

        private void breaks(Network other, String why) {
            if (other != null && !ended && broken == null) {
                broken = why;
                breaksAt = clock.getAsLong() + random.nextLong(LONGEST_DELAY);
            }
        }

        private void tellBroken() {
            breaksAt = NEVER;
            if (from != null) {
                sending.failed(id, broken);
                from = null;
                outbound.close();
            } else if (to != null) {
                receiving.failed(id, broken);
                to = null;
            }
            frames.clear();
            pipes.remove(id, this);
            tell();
        }
    }

    /** The network as one resource sees it. */
    Network of(SegmentPool pool) {
        return new Network() {
            @Override
            public ChannelReceiver receiver(ChannelId id, ChannelOptions options, FailureListener failure, IoLoop loop) {
                Pipe pipe = new Pipe(id, options, pool);
                pipe.to = this;
                pipe.receiving = failure;
                if (pipes.putIfAbsent(id, pipe) != null) {
                    throw new IllegalStateException(id + " ends here already");
                }
                return pipe.inbound;
            }

            @Override
            public ChannelSender sender(ChannelId id, To to, ChannelOptions options, LinkCounters.WireCounters counters,
                                        FailureListener failure) {
                Pipe pipe = pipes.get(id);
                if (pipe == null) {
                    pipe = new Pipe(id, options, pool);
                    pipe.broken = id + " does not end here";
                    pipe.breaksAt = clock.getAsLong() + KNOCKING;
                    pipes.put(id, pipe);
                }
                if (pipe.from != null) {
                    throw new IllegalStateException(id + " begins here already");
                }
                pipe.from = this;
                pipe.sending = failure;
                return pipe.outbound;
            }

            @Override
            public void whenSent(Attempt attempt, Runnable done) {
                waiting.add(new Waiting(this, attempt, done));
                tell();
            }

            @Override
            public void release(Attempt attempt) {
                List.copyOf(pipes.values()).stream().filter(pipe -> pipe.id.attempt().equals(attempt))
                        .forEach(pipe -> pipe.detach(this));
                tell();
            }
        };
    }

    private void tell() {
        for (Waiting one : List.copyOf(waiting)) {
            if (pipes.values().stream().allMatch(pipe -> pipe.from != one.from() || !pipe.id.attempt().equals(one.attempt())
                    || pipe.isEmpty()) && waiting.remove(one)) {
                one.done().run();
            }
        }
    }

    /** All of a resource's ends go, and nobody there is told. */
    void cut(Network network) {
        List.copyOf(pipes.values()).forEach(pipe -> pipe.detach(network));
        tell();
    }

    /** Breaks one channel that has both its ends, picked at random: both are told. @return false if there is none */
    boolean breakOne() {
        List<Pipe> whole = pipes.values().stream()
                .filter(pipe -> !pipe.ended && pipe.broken == null && pipe.from != null && pipe.to != null).toList();
        if (whole.isEmpty()) {
            return false;
        }
        Pipe pipe = whole.get(random.nextInt(whole.size()));
        pipe.breaks(pipe.from, "connection reset");
        pipe.to = null;
        pipe.frames.clear();
        pipe.receiving.failed(pipe.id, "connection reset");
        return true;
    }

    /** Reads and writes nothing of that resource until it is thawed. */
    void freeze(Network network, boolean freezes) {
        if (freezes) {
            frozen.add(network);
        } else {
            frozen.remove(network);
        }
    }

    /** Channels that are not over. */
    int open() {
        return pipes.size();
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
        for (Pipe pipe : List.copyOf(pipes.values())) {
            moved |= pipe.step(now);
        }
        return moved;
    }

    /** When something may move by itself, later than {@code now}; or {@link Long#MAX_VALUE}. */
    long nextEvent(long now) {
        return pipes.values().stream().mapToLong(pipe -> pipe.nextEvent(now)).min().orElse(NEVER);
    }
}
