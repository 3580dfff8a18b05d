package io.despina.control;

import java.net.InetSocketAddress;

/** The resource in the coordinator's own JVM. */
final class LocalMember implements Member {
    /** Its name in reports. */
    static final String NAME = "local";
    private static final long CLOSE_MILLIS = 5_000;

    private final ResourceAgent agent = ResourceAgent.local(NAME);

    LocalMember(Listener listener) {
        agent.speaksTo(message -> listener.received(this, message));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public long pid() {
        return ProcessHandle.current().pid();
    }

    @Override
    public long memoryBytes() {
        return agent.memoryBytes();
    }

    @Override
    public InetSocketAddress dataAddress() {
        return null;
    }

    @Override
    public void send(Message message) {
        if (message instanceof Message.OfJob ofJob) {
            agent.received(ofJob);
        }
    }

    @Override
    public Refusal lost() {
        return null;
    }

    void close() {
        agent.close(CLOSE_MILLIS);
    }
}
