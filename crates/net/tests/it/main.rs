mod client_certificate;
