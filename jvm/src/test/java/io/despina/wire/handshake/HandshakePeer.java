package io.despina.wire.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.link.ChannelId;
import java.io.IOException;
import java.net.Socket;
import java.util.Arrays;

/** The connecting side of a handshake over a plain socket, step by step, so that a test may get a step wrong. */
public final class HandshakePeer {
    private final Socket socket;
    private final byte[] hello;
    private final byte[] nonce;
    private final byte[] proof;

    /**
     * Says hello and reads the answer.
     *
     * @param channel null for a control connection
     */
    public HandshakePeer(Socket socket, ChannelId channel) throws IOException {
        this.socket = socket;
        hello = (channel == null ? Hello.control("") : Hello.of(channel)).bytes();
        socket.getOutputStream().write(hello);
        byte[] answer = socket.getInputStream().readNBytes(Hello.ANSWER_BYTES);
        assertEquals(Hello.ANSWER_BYTES, answer.length);
        nonce = Arrays.copyOf(answer, Secret.NONCE_BYTES);
        proof = Arrays.copyOfRange(answer, Secret.NONCE_BYTES, answer.length);
    }

    /** Checks the other side's proof and sends its own; the verdict is still to be read. */
    public void prove(byte[] jobSecret) throws IOException {
        Secret secret = new Secret(jobSecret);
        assertTrue(secret.proves(proof, Secret.Side.ACCEPTING, hello, nonce));
        socket.getOutputStream().write(secret.proof(Secret.Side.CONNECTING, hello, nonce));
    }

    /** Sends a proof that was made without the secret. */
    public void proveWrongly() throws IOException {
        socket.getOutputStream().write(new byte[Secret.PROOF_BYTES]);
    }

    /** Sends the other side's own proof back. */
    public void sendProofBack() throws IOException {
        socket.getOutputStream().write(proof);
    }
}
