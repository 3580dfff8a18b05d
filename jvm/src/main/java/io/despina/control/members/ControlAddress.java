package io.despina.control.members;

/**
 * The address at which resources join the coordinator, and their credentials.
 *
 * @param port 0 for any free one
 * @param secret of those that are not admitted by one of their own
 * @param tls  folder of its files; null for plain TCP
 */
public record ControlAddress(String host, int port, String secret, String tls) {

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
