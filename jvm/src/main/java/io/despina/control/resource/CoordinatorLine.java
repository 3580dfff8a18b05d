package io.despina.control.resource;

import io.despina.control.protocol.Message;

/** The way to the coordinator that a resource has at the time. What is told while it has none, or has lost it, is told nobody. */
final class CoordinatorLine implements ToCoordinator {
    /** Written (volatile) by the thread that begins a session, before its first message is received; null before. */
    private volatile ToCoordinator current;

    void leadsTo(ToCoordinator next) {
        current = next;
    }

    @Override
    public void tell(Message message) {
        current.tell(message);
    }

    @Override
    public void tellInTurn(Message message) throws InterruptedException {
        current.tellInTurn(message);
    }
}
