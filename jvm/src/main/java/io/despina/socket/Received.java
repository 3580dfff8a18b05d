package io.despina.socket;

/**
 * What came from a peer.
 *
 * @param bytes   whole records, one after the other; or the beginning of one that is broken
 * @param length  how many of the bytes count
 * @param problem why the record is broken; null for whole records
 * @param reply   waits for the source's answer; null if the peer gets none
 */
public record Received(Peer peer, byte[] bytes, int length, String problem, Reply reply) {
    /** Of the objects around the bytes. */
    private static final int OVERHEAD = 64;

    /** The source's answer to a request. */
    public interface Reply {

        /** From any thread, once. @param text for the peer's author */
        void answer(int status, String text);
    }

    static Received records(Peer peer, byte[] bytes, int length) {
        return new Received(peer, bytes, length, null, null);
    }

    static Received broken(Peer peer, byte[] bytes, int length, String problem) {
        return new Received(peer, bytes, length, problem, null);
    }

    /** Memory that it takes. */
    long cost() {
        return bytes.length + OVERHEAD;
    }
}
