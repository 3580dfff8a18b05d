package io.despina.control.members;

/**
 * Where the coordinator takes resources, and what they must know.
 *
 * @param port 0 for any free one
 * @param tls  folder of its files; null for plain TCP
 */
public record ControlAddress(String host, int port, String secret, String tls) {

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
