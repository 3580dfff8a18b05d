package io.despina.link;

/** Tells a port that one of its outlets has sent since it last looked for room, so that it need not look per packet. */
final class RoomMark {
    /** Whether no outlet may have lost its room since the last look. */
    boolean open;
}
