package io.despina.wire.handshake;

import io.netty.handler.ssl.NotSslRecordException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/** Why TLS failed, in words for the person who made the certificates. */
final class TlsFailure {
    /** How the JDK words that a certificate is of another host. */
    private static final Pattern OTHER_HOST = Pattern.compile("No (subject alternative|name matching).*");
    /** An alert, as the JDK or as BoringSSL words it: the other side broke TLS off. */
    private static final Pattern ALERT = Pattern.compile(".*(?:Received fatal alert: |_ALERT_)(\\w+).*", Pattern.DOTALL);
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|.*:.*");

    private TlsFailure() {
    }

    /** @param host that was called */
    static String words(Throwable failure, String host) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String words = known(cause, host);
            if (words != null) {
                return words;
            }
        }
        return "TLS failed: " + failure.getMessage();
    }

    /**
     * The same, on the accepting side.
     *
     * @param called address of this side, to which the other one connected
     */
    static String ofCaller(Throwable failure, SocketAddress called) {
        String host = called instanceof InetSocketAddress at ? at.getAddress().getHostAddress() : "an address of this side";
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            Matcher alert = ALERT.matcher(String.valueOf(cause.getMessage()));
            if (alert.matches()) {
                // BoringSSL sends internal_error for most of what is wrong with a certificate
                return "it broke off TLS (" + alert.group(1).toLowerCase(Locale.ROOT)
                        + "), most likely because it refuses this side's " + Tls.CERTIFICATE
                        + ": that must be valid now, name the host that the peer called (here " + host
                        + "), and be signed by the peer's " + Tls.AUTHORITY;
            }
        }
        return words(failure, host);
    }

    /** Whether it is a failure of TLS at all. */
    static boolean is(Throwable failure) {
        return failure instanceof SSLException || failure.getCause() instanceof SSLException;
    }

    private static String known(Throwable cause, String host) {
        if (cause instanceof CertificateExpiredException) {
            return "its " + Tls.CERTIFICATE + " has expired";
        }
        if (cause instanceof CertificateNotYetValidException) {
            return "its " + Tls.CERTIFICATE + " is not valid yet: compare the clocks of both machines";
        }
        if (cause instanceof NotSslRecordException) {
            return "it speaks plain text: TLS is off there";
        }
        String message = String.valueOf(cause.getMessage());
        if (OTHER_HOST.matcher(message).matches()) {
            return "its " + Tls.CERTIFICATE + " does not name " + host + ": sign one with -addext subjectAltName="
                    + (ADDRESS.matcher(host).matches() ? "IP:" : "DNS:") + host;
        }
        Matcher alert = ALERT.matcher(message);
        if (alert.matches()) {
            return "it broke off TLS (" + alert.group(1).toLowerCase(Locale.ROOT)
                    + "), most likely because it refuses this side's " + Tls.CERTIFICATE
                    + ": that must be valid now and signed by the " + Tls.AUTHORITY + " of that side";
        }
        boolean unknown = cause instanceof CertPathBuilderException
                || cause instanceof CertPathValidatorException && cause.getCause() == null;
        return unknown ? "another authority than this side's " + Tls.AUTHORITY + " has signed its " + Tls.CERTIFICATE : null;
    }
}
