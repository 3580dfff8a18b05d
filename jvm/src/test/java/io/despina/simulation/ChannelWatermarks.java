package io.despina.simulation;

import java.util.Arrays;

/**
 * The watermark of a sink of {@link EpochSimulation}: the least of those in its channels. Neither falls, and it goes on from that
 * of the epoch.
 */
final class ChannelWatermarks {
    private final long[] channels;
    private final boolean[] told;
    private long value = RowTimes.NONE;

    ChannelWatermarks(int channels) {
        this.channels = new long[channels];
        told = new boolean[channels];
        Arrays.fill(this.channels, RowTimes.NONE);
    }

    /** The least of those that the instances before it had. */
    void restored(long watermark) {
        value = watermark;
    }

    long value() {
        return value;
    }

    void of(int channel, long watermark) {
        if (watermark < channels[channel]) {
            throw new AssertionError("the watermark of channel " + channel + " falls from " + channels[channel] + " to "
                    + watermark);
        }
        channels[channel] = watermark;
        told[channel] = true;
        long least = RowTimes.END;
        for (int c = 0; c < channels.length; c++) {
            if (!told[c]) {
                return;
            }
            least = Math.min(least, channels[c]);
        }
        if (least < value) {
            throw new AssertionError("the watermark falls from " + value + " to " + least);
        }
        value = least;
    }
}
