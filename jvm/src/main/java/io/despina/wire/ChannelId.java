package io.despina.wire;

/**
 * A channel, among all jobs of all resources.
 *
 * @param job    the job's id, at most 255 bytes of UTF-8
 * @param number unique in the job
 */
public record ChannelId(String job, int number) {

    @Override
    public String toString() {
        return "channel " + number + " of job " + job;
    }
}
