package io.despina.link;

/**
 * A channel that has no room.
 *
 * @param channel its number in the link, from 0
 * @param since   nanoseconds of the job's clock
 */
public record NoRoom(LinkSpec link, int channel, long since) {
}
