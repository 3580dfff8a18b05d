package io.despina.opcua;

/** Which messages of a subscription have come. They are numbered from 1 to 4294967295, and then from 1 again. */
final class Sequence {
    private static final long MOST = 4_294_967_295L;

    private long next = 1;

    /** The number of the message that comes next. */
    long next() {
        return next;
    }

    /** How many messages are missing before that one; below zero if it has come before. */
    long ahead(long number) {
        long distance = Math.floorMod(number - next, MOST);
        return distance > MOST / 2 ? distance - MOST : distance;
    }

    /** The message that comes next is there, or never will be. */
    void pass() {
        next = next % MOST + 1;
    }

    /** All messages before that one never will be. */
    void passTo(long number) {
        next = number;
    }
}
