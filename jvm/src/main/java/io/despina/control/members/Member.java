package io.despina.control.members;

import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import java.net.InetSocketAddress;

/** A resource as the coordinator sees it: in this JVM, a child, or joined from elsewhere. */
public interface Member {

    /** The deployment's name for it. */
    String name();

    long pid();

    /** Of segments, queues and state. */
    long memoryBytes();

    /** Where its peers reach its data port; null for the one in this JVM, which has no peers. */
    InetSocketAddress dataAddress();

    /** Whether its files are those of the coordinator's machine. */
    default boolean isOnThisMachine() {
        InetSocketAddress data = dataAddress();
        return data == null || data.getAddress() != null && data.getAddress().isLoopbackAddress();
    }

    /** Sends a message; what it has to say comes through {@link Callback}. Never blocks. */
    void send(Message message);

    /** Why nothing more comes from it; null while something may. */
    Refusal lost();

    /** Whoever cares what members say. Called from any thread; must not block. */
    interface Callback {

        void received(Member from, Message message);

        /** Nothing more comes from it. */
        void lost(Member member, Refusal why);
    }
}
