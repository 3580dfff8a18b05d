package io.despina.link;

import io.despina.buffer.Overdraft;

/** Tells a port that one of its outlets has sent since it last looked for room, so that it need not look per packet. */
final class RoomMark {
    /** For what is larger than its channel owns, when no more memory floats. */
    final Overdraft.Access overdraft;
    /** Whether no outlet may have lost its room since the last look. */
    boolean open;

    RoomMark(Overdraft.Rank rank) {
        overdraft = rank.access();
    }
}
