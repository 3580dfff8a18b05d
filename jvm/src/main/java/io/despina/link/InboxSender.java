package io.despina.link;

import io.despina.buffer.Segment;

/**
 * The sending end over an {@link Inbox}: of a local channel, whose task consumes it, and of a remote one, whose IO thread
 * consumes it as it writes.
 */
public final class InboxSender implements ChannelSender {
    private final Inbox inbox;

    public InboxSender(Inbox inbox) {
        this.inbox = inbox;
    }

    @Override
    public boolean hasRoom() {
        return inbox.hasRoom();
    }

    @Override
    public boolean isFarSideIdle() {
        return inbox.isDrained();
    }

    @Override
    public void send(Segment segment) {
        inbox.offer(segment);
    }

    @Override
    public void urge() {
        inbox.urge();
    }

    @Override
    public int segmentBytes() {
        return inbox.segmentBytes();
    }

    @Override
    public long queuedBytes() {
        return inbox.queuedBytes();
    }

    @Override
    public void wakes(Runnable task) {
        inbox.wakesSender(task);
    }
}
