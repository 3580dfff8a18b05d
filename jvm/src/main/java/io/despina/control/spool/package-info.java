/** The way to the spools of another process, over a control connection. */
package io.despina.control.spool;
