package io.despina.control.resource;
import io.despina.control.protocol.Message;


/** A resource's way to its coordinator. Any thread may call it; what one thread tells arrives in order. */
@FunctionalInterface
public interface ToCoordinator {

    /** Never blocks. */
    void tell(Message message);

    /** For rows and lines, of which there may be any number: waits while too much of what was told is still on its way. */
    default void tellInTurn(Message message) throws InterruptedException {
        tell(message);
    }
}
