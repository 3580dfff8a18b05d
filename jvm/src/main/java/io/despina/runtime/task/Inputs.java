package io.despina.runtime.task;

import io.despina.buffer.Segment;
import io.despina.link.ChannelReceiver;
import io.despina.runtime.deployment.InputSpec;
import java.util.Arrays;
import java.util.List;

/**
 * All channels that end in a task: takes their segments in turn, tracks the least watermark (without channels that are idle, have
 * ended or do not count), and holds back a channel whose barrier has arrived, until it has arrived on all others.
 */
final class Inputs {

    /** The receiving end of one channel, and its state. */
    static final class Channel {
        final int port;
        final ChannelReceiver receiver;
        /** Whether its watermark, and its idleness, count for the task. */
        private final boolean counts;
        private long watermark = Long.MIN_VALUE;
        private boolean idle;
        private boolean ended;
        /** Ended by a stop: its watermark still holds the others back, so that no open window fires. */
        private boolean stopped;
        private boolean atBarrier;

        Channel(InputSpec input, ChannelReceiver receiver) {
            port = input.port();
            counts = input.counts();
            this.receiver = receiver;
        }
    }

    private final Channel[] channels;
    private final long[] portWatermarks;
    private int turn;
    private int open;
    private int waitingAtBarrier;
    private boolean stopped;
    private long watermark = Long.MIN_VALUE;

    Inputs(List<Channel> channels) {
        this.channels = channels.toArray(Channel[]::new);
        open = this.channels.length;
        portWatermarks = new long[channels.stream().mapToInt(c -> c.port).max().orElse(0) + 1];
        Arrays.fill(portWatermarks, Long.MIN_VALUE);
    }

    /** The next channel, in turn, that has a segment which may be taken; or null. */
    Channel next() {
        for (int k = 0; k < channels.length; k++) {
            Channel channel = channels[turn];
            turn = turn + 1 == channels.length ? 0 : turn + 1;
            if (!channel.ended && !channel.atBarrier && channel.receiver.hasNext()) {
                return channel;
            }
        }
        return null;
    }

    /** Packets that wait, over all channels. */
    long waiting() {
        long sum = 0;
        for (Channel channel : channels) {
            sum += channel.ended ? 0 : channel.receiver.packets();
        }
        return sum;
    }

    boolean isUrgent() {
        for (Channel channel : channels) {
            if (!channel.ended && channel.receiver.isUrgent()) {
                return true;
            }
        }
        return isAtBarrier();
    }

    /** Whether a barrier waits to be taken: it is, with all that is before it. */
    private boolean isAtBarrier() {
        for (Channel channel : channels) {
            if (!channel.ended && !channel.atBarrier && channel.receiver.hasBarrier()) {
                return true;
            }
        }
        return false;
    }

    /** Whether the END of a channel, or a barrier, waits to be taken. */
    boolean hasSignal() {
        for (Channel channel : channels) {
            if (!channel.ended && channel.receiver.isEnded()) {
                return true;
            }
        }
        return isAtBarrier();
    }

    boolean hasNext() {
        for (Channel channel : channels) {
            if (!channel.ended && !channel.atBarrier && channel.receiver.hasNext()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Packets have arrived on {@code channel}: it is not idle.
     *
     * @return whether it was, and the task's watermark has grown beyond its own meanwhile: the packets may be late
     */
    boolean active(Channel channel) {
        boolean behind = channel.idle && channel.watermark < watermark;
        channel.idle = false;
        return behind;
    }

    /** @return as {@link #active} */
    boolean watermark(Channel channel, long micros) {
        channel.watermark = Math.max(channel.watermark, micros);
        return active(channel);
    }

    int ports() {
        return portWatermarks.length;
    }

    long portWatermark(int port) {
        return portWatermarks[port];
    }

    /** The least watermark over all channels; never shrinks. */
    long watermark() {
        watermark = Math.max(watermark, least(-1));
        return watermark;
    }

    void idle(Channel channel) {
        channel.idle = true;
    }

    /** Whether every channel that counts is idle or has ended. */
    boolean allIdle() {
        for (Channel channel : channels) {
            if (channel.counts && !channel.idle && !channel.ended) {
                return false;
            }
        }
        return true;
    }

    /** @return true if the barrier has arrived on every channel that has not ended */
    boolean barrier(Channel channel) {
        channel.atBarrier = true;
        waitingAtBarrier++;
        return isAligned();
    }

    private boolean isAligned() {
        if (waitingAtBarrier == 0 || waitingAtBarrier < open) {
            return false;
        }
        for (Channel channel : channels) {
            channel.atBarrier = false;
        }
        waitingAtBarrier = 0;
        return true;
    }

    /** @return true if a barrier waited for this channel only */
    boolean end(Channel channel, long how) {
        channel.ended = true;
        channel.stopped = how == Segment.STOPPED;
        stopped |= channel.stopped;
        open--;
        return open > 0 && isAligned();
    }

    boolean allEnded() {
        return open == 0;
    }

    /** How the whole input ended: {@link Segment#STOPPED} if any channel was stopped. */
    long how() {
        return stopped ? Segment.STOPPED : Segment.COMPLETE;
    }

    /** @return true if the least watermark of {@code port} has grown */
    boolean portGrew(int port) {
        long least = least(port);
        if (least <= portWatermarks[port]) {
            return false;
        }
        portWatermarks[port] = least;
        return true;
    }

    /** Over the channels of {@code port}, or over all that count (-1), without those that are idle or have ended. */
    private long least(int port) {
        long least = Long.MAX_VALUE;
        boolean anyIdle = false;
        boolean any = false;
        for (Channel channel : channels) {
            if (port >= 0 ? channel.port != port : !channel.counts) {
                continue;
            }
            if (channel.ended && !channel.stopped) {
                continue;
            }
            anyIdle |= channel.idle;
            if (!channel.idle) {
                least = Math.min(least, channel.watermark);
                any = true;
            }
        }
        return any || !anyIdle ? least : Long.MIN_VALUE;
    }

    void close() {
        for (Channel channel : channels) {
            channel.receiver.close();
        }
    }
}
