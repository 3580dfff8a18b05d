package io.despina.control.members;

import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import java.net.InetSocketAddress;

/** A resource as the coordinator sees it: in this JVM, a child, or joined from elsewhere. */
public interface Member {

    /** The deployment's name for it. */
    String name();

    long pid();

    /** The memory of segments, queues and state. */
    long memoryBytes();

    /** The address of its data port for peers; null for the resource in this JVM, which has no peers. */
    InetSocketAddress dataAddress();

    /** Whether its files are those of the coordinator's machine. May ask for the address of a name. */
    default boolean isOnThisMachine() {
        InetSocketAddress data = dataAddress();
        return data == null || Hosts.isHere(data.getHostString());
    }

    /** Sends a message; replies arrive at the {@link Callback}. Never blocks. */
    void send(Message message);

    /** Why it is lost; null while it is connected or may join. */
    Refusal lost();

    /** Receives the messages of members. Called from any thread; must not block. */
    interface Callback {

        void received(Member from, Message message);

        /** The member is lost: it sends nothing more. */
        void lost(Member member, Refusal why);

        /**
         * Once after that, soon: all that will ever be known of the loss.
         *
         * @param before the reason that was given; the same where there is none that is better
         */
        void explained(Member member, Refusal before, Refusal better);
    }
}
