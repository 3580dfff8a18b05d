package io.despina.opcua;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.LoginException;
import io.despina.connect.LostException;
import io.despina.connect.RefusedException;
import java.io.IOException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.eclipse.milo.opcua.stack.core.StatusCodes;
import org.eclipse.milo.opcua.stack.core.UaException;
import org.eclipse.milo.opcua.stack.core.UaServiceFaultException;
import org.eclipse.milo.opcua.stack.core.types.builtin.StatusCode;

/** What goes wrong, in words. */
final class Words {
    /** Nodes that a message names. */
    private static final int NAMED = 10;
    /** What bits say beside the code. */
    private static final long CODE = 0xFFFF0000L;
    private static final Set<Long> LOGIN = Set.of(StatusCodes.Bad_IdentityTokenInvalid, StatusCodes.Bad_IdentityTokenRejected,
            StatusCodes.Bad_UserAccessDenied, StatusCodes.Bad_UserSignatureInvalid);
    private static final Set<Long> CERTIFICATE = Set.of(StatusCodes.Bad_SecurityChecksFailed,
            StatusCodes.Bad_CertificateUntrusted, StatusCodes.Bad_CertificateInvalid, StatusCodes.Bad_CertificateTimeInvalid,
            StatusCodes.Bad_CertificateUriInvalid, StatusCodes.Bad_CertificateUseNotAllowed,
            StatusCodes.Bad_CertificateRevocationUnknown, StatusCodes.Bad_CertificateIssuerRevocationUnknown);

    private Words() {
    }

    /** A status code's name: {@code Bad_NodeIdUnknown}. */
    static String name(StatusCode status) {
        if ((status.getValue() & CODE) == 0) {
            return "Good";
        }
        return StatusCodes.lookup(status.getValue()).map(both -> both[0])
                .orElseGet(() -> String.format("0x%08X", status.getValue() & CODE));
    }

    private static String named(ConnectorSettings settings) {
        return "`server` " + settings.text("server");
    }

    /** A session that was not made. @param tls whether messages are signed */
    static IOException unconnected(ConnectorSettings settings, Throwable why, boolean tls) {
        for (Throwable cause = why; cause != null; cause = cause.getCause()) {
            if (cause instanceof RefusedException refused) {
                return refused;
            }
            if (cause instanceof UnknownHostException) {
                return new IOException("the host of " + named(settings) + " is not known", why);
            }
        }
        UaException known = UaException.extract(why).orElse(null);
        if (known == null) {
            return new IOException(named(settings) + " cannot be reached: " + innermost(why), why);
        }
        long code = known.getStatusCode().getValue();
        if (code == StatusCodes.Bad_TcpEndpointUrlInvalid) {
            return new IOException(named(settings) + " answers, but does not know the path of that address", why);
        }
        if (LOGIN.contains(code)) {
            return new LoginException(named(settings) + " refuses the login" + (settings.has("user")
                    ? ": look at the user and the password" : ": it wants a `user` and a password") + " (" + of(known)
                    + ")", why);
        }
        if (tls && CERTIFICATE.contains(code)) {
            return new LoginException(named(settings) + " does not believe the certificate of `tls`: have it put among those "
                    + "that the server trusts; servers keep the refused ones to be looked at (" + of(known) + ")", why);
        }
        return new IOException(named(settings) + " cannot be reached: " + of(known), why);
    }

    /** A question without a good answer. */
    static IOException unanswered(ConnectorSettings settings, Throwable why) {
        UaException known = UaException.extract(why).orElse(null);
        if (known instanceof UaServiceFaultException) {
            return new FaultException(settings.text("server") + " does not do it: " + of(known), known);
        }
        return lost(settings, known == null ? innermost(why) : of(known), why);
    }

    static LostException lost(ConnectorSettings settings, String why, Throwable cause) {
        return new LostException("the connection to " + settings.text("server") + " has ended" + (why == null ? "" : ": " + why),
                cause);
    }

    private static String of(UaException known) {
        StatusCode status = known.getStatusCode();
        String said = StatusCodes.lookup(status.getValue()).map(both -> both[1]).orElse("");
        String cause = known.getCause() == null || known.getCause().getMessage() == null ? ""
                : ", " + known.getCause().getMessage();
        return name(status) + (said.isEmpty() ? "" : ", " + said.replaceAll("\\.$", "")) + cause;
    }

    private static String innermost(Throwable why) {
        Throwable last = why;
        while (last.getCause() != null) {
            last = last.getCause();
        }
        if (last instanceof TimeoutException) {
            return "it does not answer";
        }
        return last.getMessage() == null ? last.getClass().getSimpleName() : last.getMessage();
    }

    /** Nodes that are not there, or cannot be watched, as a list. */
    static String nodes(List<String> which) {
        return String.join(", ", which.subList(0, Math.min(NAMED, which.size())))
                + (which.size() > NAMED ? ", and " + (which.size() - NAMED) + " more" : "");
    }
}
