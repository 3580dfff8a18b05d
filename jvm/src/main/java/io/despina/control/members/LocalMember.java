package io.despina.control.members;

import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.control.resource.ResourceAgent;
import io.despina.placement.Deployment;
import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import java.net.InetSocketAddress;

/** The resource in the coordinator's own JVM. */
public final class LocalMember implements Member {
    private static final long CLOSE_MILLIS = 5_000;

    private final ResourceAgent agent = ResourceAgent.local(Deployment.LOCAL);

    public LocalMember(Callback listener) {
        agent.speaksTo(message -> listener.received(this, message));
    }

    @Override
    public String name() {
        return Deployment.LOCAL;
    }

    @Override
    public long pid() {
        return ProcessHandle.current().pid();
    }

    @Override
    public long memoryBytes() {
        return agent.size().memoryBytes();
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

    /** Serves a connection of a program that reads or gives rows. */
    public ControlHandler rows(ControlConnection connection) {
        return agent.rows(connection);
    }

    public void close() {
        agent.close(CLOSE_MILLIS);
    }
}
