package io.despina.control.resource;
import io.despina.control.protocol.Message;


/** Sends a resource's messages to its coordinator. Any thread may call it; messages of one thread arrive in order. */
@FunctionalInterface
public interface ToCoordinator {

    /** Never blocks. */
    void tell(Message message);

    /** For rows and lines, whose number is unbounded: blocks while too many bytes are still on their way. */
    default void tellInTurn(Message message) throws InterruptedException {
        tell(message);
    }
}
