package io.despina.metrics;

/**
 * The queues of a link now, over those of its channels that begin in one resource.
 *
 * @param senders       tasks that send along it
 * @param queuedBytes   bytes of segments that wait in all of them
 * @param capacityBytes bytes at which all of them would be full
 * @param fill          of the fullest one, 0 to 1: its sender waits at 1
 */
public record QueueSnapshot(int senders, long queuedBytes, long capacityBytes, double fill) {
    public static final QueueSnapshot NONE = new QueueSnapshot(0, 0, 0, 0);

    /** One sender's end of a channel that is full at {@code capacityBytes}. */
    public static QueueSnapshot of(int senders, long queuedBytes, long capacityBytes) {
        return new QueueSnapshot(senders, queuedBytes, capacityBytes,
                Math.min(1, Math.max(0, queuedBytes) / (double) Math.max(1, capacityBytes)));
    }

    public QueueSnapshot plus(QueueSnapshot o) {
        return new QueueSnapshot(senders + o.senders, queuedBytes + o.queuedBytes, capacityBytes + o.capacityBytes,
                Math.max(fill, o.fill));
    }
}
