package io.despina.wire.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class TlsFailureTest {

    @Test
    void whatTheOtherSideSaysOfACertificateIsPutIntoWords() {
        assertEquals("it broke off TLS (certificate_expired), most likely because it refuses this side's certificate.pem: that "
                + "must be valid now and signed by the authority.pem of that side", TlsFailure.words(new DecoderException(
                        new SSLHandshakeException("Received fatal alert: certificate_expired")), "far"));
        assertEquals("it speaks plain text: TLS is off there", TlsFailure.words(new NotSslRecordException("0102"), "far"));
        assertEquals("its certificate.pem does not name far: sign one with -addext subjectAltName=DNS:far", TlsFailure.words(
                new SSLHandshakeException("No name matching far found"), "far"));
        assertEquals("TLS failed: no cipher in common", TlsFailure.words(new SSLException("no cipher in common"), "far"));
    }

    @Test
    void whoRefusesTheCertificateOfTheCalledSideIsToldThere() {
        assertEquals("it broke off TLS (certificate_unknown), most likely because it refuses this side's certificate.pem: that "
                + "must be valid now, name the host that the peer called (here 127.0.0.1), and be signed by the peer's "
                + "authority.pem", TlsFailure.ofCaller(new DecoderException(
                        new SSLHandshakeException("Received fatal alert: certificate_unknown")),
                        new InetSocketAddress("127.0.0.1", 4711)));
        assertEquals("it speaks plain text: TLS is off there", TlsFailure.ofCaller(new NotSslRecordException("0102"), null));
        assertEquals("TLS failed: no cipher in common", TlsFailure.ofCaller(new SSLException("no cipher in common"), null));
    }
}
