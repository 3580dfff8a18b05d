package io.despina.inflow;

/**
 * What came from a peer.
 *
 * @param bytes   whole records, one after the other; or the beginning of one that is broken
 * @param length  how many of the bytes count
 * @param problem why the record is broken; null for whole records
 * @param reply   waits for the source's answer; null if the peer gets none
 * @param key     the peer's own name of its request, under which it may send it again; null if it has none
 */
public record Received(Peer peer, byte[] bytes, int length, String problem, Reply reply, String key)
        implements Inflow.Piece {
    /** Of the objects around the bytes. */
    private static final int OVERHEAD = 64;

    /** What a request is answered that was taken: its peer may forget it. */
    public static final int TAKEN = 200;
    /** What it is answered if it could not be kept. */
    public static final int LOST = 503;

    /** The source's answer to a request. */
    public interface Reply {

        /** From any thread, once. @param text for the peer's author */
        void answer(int status, String text);
    }

    public static Received records(Peer peer, byte[] bytes, int length) {
        return new Received(peer, bytes, length, null, null, null);
    }

    public static Received broken(Peer peer, byte[] bytes, int length, String problem) {
        return new Received(peer, bytes, length, problem, null, null);
    }

    /** A request with whole records. */
    public static Received request(Peer peer, byte[] bytes, int length, Reply reply, String key) {
        return new Received(peer, bytes, length, null, reply, key);
    }

    @Override
    public long cost() {
        return bytes.length + OVERHEAD;
    }
}
