package io.despina.link;

/**
 * A channel, among all jobs of all resources.
 *
 * @param number unique in the job
 */
public record ChannelId(Attempt attempt, int number) {

    @Override
    public String toString() {
        return "channel " + number + " of " + attempt;
    }
}
